// What a reader of the open notebook cannot see, read or reach: a list of sentences, empty when all is well.
() => {
    const panel = jupyterapp.shell.currentWidget.node;
    const visible = (root, selector) =>
        [...root.querySelectorAll(selector)].filter(node => node.checkVisibility());
    const rendered = visible(panel, '.jp-RenderedMarkdown, .jp-OutputArea-output');
    const inRendered = selector => rendered.flatMap(root => visible(root, selector));
    const short = text => JSON.stringify(text.trim().slice(0, 60));

    // Contrast by WCAG 2, of colors [red, green, blue, opacity]
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const parse = css => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = css;
        canvas.fillRect(0, 0, 1, 1);
        const [red, green, blue, opacity] = canvas.getImageData(0, 0, 1, 1).data;
        return [red, green, blue, opacity / 255];
    };
    const over = (above, below) =>
        [0, 1, 2].map(i => above[i] * above[3] + below[i] * (1 - above[3])).concat(1);
    const background = node => {
        if (!node) return [255, 255, 255, 1];
        const own = parse(getComputedStyle(node).backgroundColor);
        return own[3] === 1 ? own : over(own, background(node.parentElement));
    };
    const luminance = color => {
        const linear = c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
        const [red, green, blue] = color.slice(0, 3).map(c => linear(c / 255));
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = node => {
        const below = background(node), color = parse(getComputedStyle(node).color);
        for (let n = node; n; n = n.parentElement) color[3] *= getComputedStyle(n).opacity;
        const [dark, light] = [over(color, below), below].map(luminance).sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
    };
    const needed = node => {  // large letters need less
        const { fontSize, fontWeight } = getComputedStyle(node);
        return parseFloat(fontSize) >= (fontWeight >= 700 ? 18.66 : 24) ? 3 : 4.5;
    };

    // JupyterLab gives code its colors, in prose as in cells.
    const notOurs = 'mjx-assistive-mml, style, script, pre code span';
    const faint = root => {
        const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), faults = [];
        while (texts.nextNode()) {
            const node = texts.currentNode.parentElement, text = texts.currentNode.data;
            if (!text.trim() || !node.checkVisibility()) continue;
            if (node.closest(notOurs)) continue;
            const found = contrast(node.closest('select') || node);
            if (found < needed(node)) faults.push(`contrast ${found.toFixed(2)} of ${short(text)}`);
        }
        return faults;
    };
    const untold = image => {
        const told = image.getAttribute('alt') ?? image.getAttribute('aria-label') ?? '';
        return told.length < 30 ? [`an image says only ${short(told)}`] : [];
    };

    // A drawing brings a list of its texts, each with its color and, as shares of the image, its place and size
    const drawn = image => {
        const around = image.getBoundingClientRect(), texts = JSON.parse(image.dataset.texts);
        const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        Object.assign(canvas.canvas, { width: image.naturalWidth, height: image.naturalHeight });
        canvas.fillStyle = `rgb(${background(image).slice(0, 3)})`;
        canvas.fillRect(0, 0, image.naturalWidth, image.naturalHeight);
        canvas.drawImage(image, 0, 0);
        const faults = wider(image) ? [`cut off: drawing ${short(image.alt)}`] : [];
        texts.forEach(({ text, size, color, box }, i) => {
            const say = what => faults.push(`drawing ${short(image.alt)}: ${what} ${short(text)}`);
            const [left, top, right, bottom] = box, pixels = size * around.height;
            if (pixels < 8) say(`${pixels.toFixed(1)} px has`);
            if (left <= 0 || top <= 0 || right >= 1 || bottom >= 1) say('the edge cuts');
            const over = texts.slice(0, i).filter(({ box: [l, t, r, b] }) =>
                left < r && l < right && top < b && t < bottom);
            over.forEach(other => say(`${short(other.text)} meets`));
            const found = contrastIn(canvas, box, parse(color));
            if (found < 4.5) say(`contrast ${found.toFixed(2)} of`);
        });
        return faults;
    };
    const contrastIn = (canvas, [left, top, right, bottom], wanted) => {
        const { width, height } = canvas.canvas, margin = 4, counts = new Map();
        const [x, y] = [left * width - margin, top * height - margin].map(Math.round);
        const size = [(right - left) * width, (bottom - top) * height].map(v => Math.round(v + 2 * margin));
        const { data } = canvas.getImageData(x, y, ...size);
        for (let i = 0; i < data.length; i += 4) {
            const key = data.slice(i, i + 3).join();
            counts.set(key, (counts.get(key) ?? 0) + 1);
        }
        const colors = [...counts].map(([key, count]) => ({ color: key.split(',').map(Number), count }));
        const far = (a, b) => Math.max(...[0, 1, 2].map(i => Math.abs(a[i] - b[i])));
        const ink = colors.reduce((a, b) => far(b.color, wanted) < far(a.color, wanted) ? b : a).color;
        if (far(ink, wanted) > 32) return 1;  // something is painted over it
        const others = colors.filter(({ color }) => far(color, ink) > 32);
        const ground = others.reduce((a, b) => b.count > a.count ? b : a, { count: 0, color: ink }).color;
        const [dark, light] = [ink, ground].map(luminance).sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
    };
    const wider = image => {  // than what is around it, or it makes the page so wide that it scrolls
        const box = image.getBoundingClientRect();
        for (let around = image.parentElement; panel.contains(around); around = around.parentElement) {
            const { left, right } = around.getBoundingClientRect();
            if (box.left < left - 1 || box.right > right + 1) return true;
            if (around.scrollWidth > around.clientWidth + 1 && around.clientWidth) return true;
        }
        return false;
    };
    const cutOff = node => {
        const box = node.getBoundingClientRect();
        if (!box.width || node.closest('mjx-assistive-mml')) return [];
        for (let around = node.parentElement; panel.contains(around); around = around.parentElement) {
            const { overflowX } = getComputedStyle(around);
            if (overflowX === 'auto' || overflowX === 'scroll') break;
            if (overflowX !== 'visible' && box.right > around.getBoundingClientRect().right + 1)
                return [`cut off: ${node.localName} ${short(node.textContent)}`];
        }
        return [];
    };
    const unreachable = control => {
        const labels = [...control.labels ?? []].map(label => label.textContent);
        if (control.localName === 'button') labels.push(control.textContent);
        const named = [control.ariaLabel, control.title, ...labels].some(label => label?.trim());
        const faults = [...named ? [] : ['no name'], ...control.tabIndex < 0 ? ['not reached by Tab'] : []];
        return faults.map(fault => `${fault}: ${control.outerHTML.slice(0, 100)}`);
    };

    const kinds = ['stderr', 'error'].map(kind => `[data-mime-type="application/vnd.jupyter.${kind}"]`);
    const errors = `.jupyter-widgets :is(${kinds})`;  // an explorer's output keeps its errors to itself
    return [...new Set([
        ...rendered.flatMap(faint),
        ...inRendered('img, canvas, svg[role=img]').flatMap(untold),
        ...inRendered('img[data-texts]').flatMap(drawn),
        ...inRendered('*').flatMap(cutOff),
        ...inRendered('select, input, textarea, button, [role=slider]').flatMap(unreachable),
        ...visible(panel, errors).map(node => `error in a widget: ${short(node.textContent)}`),
    ])];
}
