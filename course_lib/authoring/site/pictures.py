"""Takes pictures out of pages: as files of their own they come when they are scrolled to, and are smaller."""

import base64
import hashlib
import html
import io
import re
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

IMAGE = re.compile(r'<img ([^>]*)src="data:image/(png|svg\+xml);base64,([^"]+)"([^>]*)>')
FOLDER = "pictures"


@dataclass(frozen=True)
class Pictures:
    """The pictures of a site. A name comes of the content, so what several pages show is stored once."""

    site: Path

    def moved(self, page: str, top: str = "") -> str:
        """The page's HTML without data: pictures; `top` leads from it to the site's first folder."""
        return IMAGE.sub(lambda found: self._move(found, top), page)

    def file(self, path: Path, alt: str, width: int, top: str = "") -> str:
        """An <img> of a PNG, made small: `width` CSS pixels, for a glance."""
        image, packed = Image.open(path).convert("RGB"), io.BytesIO()
        height = round(image.height * width / image.width)
        image.resize((2 * width, 2 * height), Image.Resampling.LANCZOS).save(packed, "WEBP", quality=75)
        attributes = f'alt="{html.escape(alt)}" width="{width}" height="{height}"'
        return _img(attributes, top, self._store(packed.getvalue(), "webp"))

    def _move(self, found: re.Match, top: str) -> str:
        before, kind, data, after = found.groups()
        content, attributes = base64.b64decode(data), f"{before}{after}"
        width = re.search(r' ?\bwidth="(\d+)"', attributes)
        if kind != "png":
            return _img(attributes, top, self._store(content, "svg"))
        if width:
            attributes = attributes.replace(width[0], "")
        return self._image(content, attributes, int(width[1]) if width else 0, top)

    def _image(self, png: bytes, attributes: str, width: int, top: str) -> str:
        image, packed = Image.open(io.BytesIO(png)), io.BytesIO()
        width = width or image.width // 2
        size = f'width="{width}" height="{round(image.height * width / image.width)}"'
        image.convert("RGB").save(packed, "WEBP", lossless=True, quality=80, method=4)
        return _img(f"{attributes.strip()} {size}", top, self._store(packed.getvalue(), "webp"))

    def _store(self, content: bytes, kind: str) -> str:
        name = f"{FOLDER}/{hashlib.sha256(content).hexdigest()[:12]}.{kind}"
        (self.site / FOLDER).mkdir(parents=True, exist_ok=True)
        (self.site / name).write_bytes(content)
        return name


def _img(attributes: str, top: str, name: str) -> str:
    return f'<img {attributes.strip()} loading="lazy" decoding="async" src="{top}{name}">'
