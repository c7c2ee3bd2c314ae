// Draws an attention view into a shadow root of its own: no style or name of the page meets one of the view.
// Its words arrive as `data`, its style as `css`, the class of its place as `place` (attention_view.py).
const TOP = 60000, MASKED = 65535;  // a weight comes as a whole number of 1 / TOP
const SMALL = 0.005;  // what would be written as .00
const short = number => number.toFixed(2).replace(/^0/, '');
const say = (name, values = {}) => data.text[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
const special = word => /^<.*>$/.test(word);

const make = (name, attributes = {}, ...children) => {
    const drawn = name === 'svg' || name === 'path';
    const node = drawn ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
        if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
        else if (value === true) node.setAttribute(key, '');
        else if (value !== false && value != null) node.setAttribute(key, value);
    node.append(...children);
    return node;
};

// weights[layer][head][query][key], NaN where a mask hides the key
const unpack = ({ queries, keys, layers }) => layers.map(packed => {
    const bytes = new DataView(Uint8Array.from(atob(packed), char => char.charCodeAt(0)).buffer);
    const read = i => bytes.getUint16(2 * i, true), size = queries.length * keys.length;
    return Array.from({ length: bytes.byteLength / 2 / size }, (_, head) => queries.map((_, q) => keys.map((_, k) => {
        const number = read(head * size + q * keys.length + k);
        return number === MASKED ? NaN : number / TOP;
    })));
});

// Of two lists of words, those of each that are not in their longest common run
const changes = (before, after) => {
    const common = [...before, 0].map(() => [...after, 0].map(() => 0));
    for (let i = before.length - 1; i >= 0; i--)
        for (let j = after.length - 1; j >= 0; j--)
            common[i][j] = before[i] === after[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    const gone = new Set(before.keys()), come = new Set(after.keys());
    for (let i = 0, j = 0; i < before.length && j < after.length;)
        if (before[i] === after[j]) { gone.delete(i++); come.delete(j++); }
        else if (common[i + 1][j] >= common[i][j + 1]) i++;
        else j++;
    return [gone, come];
};

const attach = host => {
    if (host.shadowRoot) return;
    const root = host.attachShadow({ mode: 'open' });
    const weights = data.entries.map(entry => entry.maps.map(unpack));
    const state = { entry: 0, kind: 0, layer: weights[0][0].length - 1, head: -1, step: 0, pin: null, hover: null };
    const entry = () => data.entries[state.entry], kind = () => data.kinds[state.kind];
    const words = side => entry().maps[state.kind][side];
    const stepped = () => Boolean(kind().stepped), steps = () => entry().target.length;
    const map = (layer = state.layer, head = state.head) => {
        const heads = weights[state.entry][state.kind][layer];
        if (head >= 0) return heads[head];
        return heads[0].map((row, q) => row.map((_, k) => heads.reduce((sum, one) => sum + one[q][k], 0) / heads.length));
    };
    // At step 3, the words of later steps do not exist yet
    const later = (side, i) => stepped() && state.step > 0 && i >= state.step && (side === 'queries' || kind().grows);
    const focus = () => [state.hover, state.pin].find(chosen => chosen && !later(chosen.side, chosen.index))
        || (stepped() && state.step > 0 ? { side: 'queries', index: state.step - 1 } : null);
    const set = changed => { Object.assign(state, { pin: null, hover: null }, changed); };

    // Controls
    const choice = make('select', { 'aria-label': data.name, onchange: () => { set({ entry: +choice.value, step: 0 }); build(); } },
        ...data.entries.map((one, i) => make('option', { value: i }, one.name)));
    const kinds = make('fieldset', {}, make('legend', {}, say('kind')), make('div', { class: 'kinds' }, ...data.kinds.map((one, i) =>
        make('label', {}, make('input', { type: 'radio', name: 'kind', checked: !i, onchange: () => {
            set({ kind: i, layer: Math.min(state.layer, weights[state.entry][i].length - 1) }); build(); } }), one.name))));
    const thumbs = make('div', { class: 'layers' }), without = make('dl', { 'aria-live': 'polite' });
    const button = (sign, name, by) => make('button', { type: 'button', 'aria-label': say(name), onclick: () => go(state.step + by) }, sign);
    const back = button('◀', 'back', -1), on = button('▶', 'on', 1);
    const slider = make('input', { type: 'range', min: 0, id: 'step', oninput: () => go(+slider.value) });
    const stepName = make('label', { for: 'step' });
    const stepping = make('div', { class: 'step' }, stepName, back, slider, on);
    const says = make('p', { class: 'says', 'aria-live': 'polite' }), next = make('div', { class: 'next' });

    // The map: two lists of words, and a line for each weight between them
    const list = side => make('div', { class: `words ${side}`, role: 'listbox', 'aria-orientation': 'vertical' });
    const lists = { queries: list('queries'), keys: list('keys') };
    const heading = { queries: make('div', { class: 'heading queries' }), keys: make('div', { class: 'heading' }) };
    const svg = make('svg', { 'aria-hidden': 'true' });
    const drawing = make('div', { class: 'map' }, heading.queries, make('div'), heading.keys, lists.queries, svg, lists.keys);
    let lines = [];

    const style = make('style');
    style.textContent = css;
    root.append(style, make('div', { class: 'view', role: 'group', 'aria-label': say('title') },
        make('div', { class: 'bar' }, ...(data.entries.length > 1 ? [choice] : []), ...(data.kinds.length > 1 ? [kinds] : [])),
        make('div', { class: 'body' }, drawing, make('div', { class: 'side' },
            make('div', { class: 'heads' }, make('fieldset', {}, make('legend', {}, say('heads')), thumbs), without),
            make('div', { class: 'decode' }, stepping, says, next)))));

    const go = step => { set({ step: Math.max(0, Math.min(steps(), step)) }); draw(); };
    const pinned = (side, index) => state.pin?.side === side && state.pin.index === index;
    const word = (side, text, index) => make('div', {
        class: 'word', role: 'option', tabindex: -1,
        onpointerenter: event => { if (event.pointerType === 'mouse') { state.hover = { side, index }; draw(); } },
        onpointerleave: event => { if (event.pointerType === 'mouse') { state.hover = null; draw(); } },
        onfocus: event => { if (event.target.matches(':focus-visible')) { state.pin = { side, index }; draw(); } },
        onclick: () => { state.pin = pinned(side, index) ? null : { side, index }; state.hover = null; draw(); },
    }, make('span', { class: special(text) ? 'name special' : 'name', lang: special(text) ? null : kind().langs?.[side] }, text),
    make('span', { class: 'number', 'aria-hidden': 'true' }));

    // Keys: true where the view has used one
    const onKey = ({ key }, node) => {
        if (key === 'Escape' && state.pin) { state.pin = null; draw(); return true; }
        if (!node) return false;
        const side = node.parentNode === lists.queries ? 'queries' : 'keys', other = side === 'keys' ? 'queries' : 'keys';
        const open = name => [...lists[name].children].filter((_, i) => !later(name, i));
        const mine = open(side), theirs = open(other), i = mine.indexOf(node), beside = theirs[Math.min(i, theirs.length - 1)];
        if (key === ' ' || key === 'Enter') { node.click(); return true; }
        const to = { ArrowDown: mine[i + 1], ArrowUp: mine[i - 1], Home: mine[0], End: mine.at(-1),
            ArrowRight: side === 'queries' ? beside : null, ArrowLeft: side === 'keys' ? beside : null };
        to[key]?.focus();
        return key in to;
    };
    // JupyterLab listens at the document: it would delete the cell at `d d`, and keep the arrow keys of a slider for itself. So
    // plain keys end at the window, on their way down. What a control itself does with a key happens all the same.
    const keep = event => {
        const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
        if (ctrlKey || metaKey || altKey || key === 'Tab' || (shiftKey && key === 'Enter')) return;
        if (!event.composedPath().includes(root)) return;
        const used = onKey(event, event.composedPath()[0].closest?.('.word'));
        if (used) event.preventDefault();
        if (used || key !== 'Escape') event.stopPropagation();
    };
    root.addEventListener('focusin', () => window.addEventListener('keydown', keep, true));
    root.addEventListener('focusout', () => window.removeEventListener('keydown', keep, true));

    const thumb = (layer, head) => {
        const values = map(layer, head);
        const canvas = make('canvas', { width: values[0].length, height: values.length, 'aria-hidden': 'true' });
        const paint = canvas.getContext('2d');
        paint.fillStyle = getComputedStyle(host).getPropertyValue('--accent');
        values.forEach((row, y) => row.forEach((weight, x) => { paint.globalAlpha = weight || 0; paint.fillRect(x, y, 1, 1); }));
        const before = make('span', { class: 'hidden' }, say(head < 0 ? 'layer of' : 'head of', { layer }) + ' ');
        return make('label', { class: 'thumb' }, make('input', { type: 'radio', name: 'head',
            checked: layer === state.layer && head === state.head, onchange: () => { Object.assign(state, { layer, head }); draw(); } }),
        canvas, make('span', {}, before, head < 0 ? say('mean') : String(head)));
    };
    const drawThumbs = () => {
        const focused = root.activeElement?.name === 'head';
        thumbs.replaceChildren(...weights[state.entry][state.kind].map((heads, layer) => make('div', { class: 'layer' },
            make('span', { 'aria-hidden': 'true' }, say('layer', { layer })), ...[-1, ...heads.keys()].map(head => thumb(layer, head)))));
        if (focused) thumbs.querySelector(':checked').focus();
    };

    const build = () => {  // another entry or kind has other words
        state.head = Math.min(state.head, weights[state.entry][state.kind][state.layer].length - 1);
        for (const side of ['queries', 'keys']) {
            heading[side].textContent = kind()[side];
            lists[side].setAttribute('aria-label', kind()[side]);
            lists[side].replaceChildren(...words(side).map((text, i) => word(side, text, i)));
        }
        lines = words('queries').map(() => words('keys').map(() => make('path')));
        svg.replaceChildren(...lines.flat());
        if (stepped()) slider.max = steps();
        drawThumbs(); draw(); placeLines();
    };
    const placeLines = () => {
        const width = svg.clientWidth, top = svg.getBoundingClientRect().top, bend = 0.45 * width;
        const middles = side => [...lists[side].children].map(node => {
            const box = node.getBoundingClientRect(); return box.top + box.height / 2 - top; });
        const from = middles('queries'), to = middles('keys');
        lines.forEach((row, q) => row.forEach((line, k) =>
            line.setAttribute('d', `M0 ${from[q]}C${bend} ${from[q]} ${width - bend} ${to[k]} ${width} ${to[k]}`)));
    };

    const listed = pairs => {
        const found = pairs.filter(([, weight]) => weight >= SMALL).sort((a, b) => b[1] - a[1]);
        const told = found.slice(0, 4).map(([text, weight]) => `${text} ${short(weight)}`).join(', ');
        return found.length > 4 ? say('others less', { told }) : told || say('no word');
    };
    const sentence = (chosen, values) => {
        if (!chosen) return say('choose');
        const { side, index } = chosen, word = words(side)[index];
        if (side === 'keys')
            return say('is seen', { word, listed: listed(words('queries').map((text, q) => [text, later('queries', q) ? 0 : values[q][index]])) });
        const looks = { word, listed: listed(words('keys').map((text, k) => [text, values[index][k]])) };
        if (!stepped()) return say('looks', looks);
        return say('step', { ...looks, step: index + 1, read: entry().read[index], written: entry().target[index] });
    };
    const marked = (list, changed, name) => list.flatMap((text, i) => [changed.has(i) ? make(name, {}, text) : text, ' ']);
    const drawWithout = () => {
        if (!entry().without) return without.replaceChildren();
        const before = entry().target.filter(text => !special(text)), { layer, head } = state, { lang } = data;
        const found = entry().without[state.kind][layer][head + 1], after = found === 0 ? before : found.split(' ').filter(Boolean);
        const [gone, come] = changes(before, after), same = !gone.size && !come.size;
        without.replaceChildren(make('dt', {}, say('translation')), make('dd', { lang }, ...marked(before, gone, 's')),
            make('dt', {}, say(head < 0 ? 'without all' : 'without', { head, layer, kind: kind().name })),
            same ? make('dd', {}, say('same')) : after.length ? make('dd', { lang }, ...marked(after, come, 'mark')) : make('dd', {}, say('nothing')));
    };
    const drawNext = step => {
        const candidates = step ? entry().candidates[step - 1].filter(([, chance], i) => !i || chance >= SMALL) : [];
        const rest = step ? 1 - candidates.reduce((sum, [, chance]) => sum + chance, 0) : 0;
        const row = (text, chance, name, lang) => {
            const bar = make('i', { class: name });
            bar.style.width = `${100 * chance}%`;
            return [make('span', { class: name, lang }, text), bar, make('span', { class: `number ${name}` }, short(chance))];
        };
        next.replaceChildren(
            ...candidates.flatMap(([text, chance]) =>
                row(text, chance, text === entry().target[step - 1] ? 'written' : '', special(text) ? null : data.lang)),
            ...(rest >= SMALL ? row(say('rest'), rest, 'rest') : []));
    };
    const draw = () => {
        const values = map(), chosen = focus();
        for (const side of ['queries', 'keys']) {
            const first = state.pin?.side === side ? state.pin.index : chosen?.side === side ? chosen.index : 0;
            [...lists[side].children].forEach((node, i) => {
                const seen = Boolean(chosen) && chosen.side !== side && !later(side, i);
                const weight = seen ? (side === 'keys' ? values[chosen.index][i] : values[i][chosen.index]) : null;
                const masked = Number.isNaN(weight), name = words(side)[i];
                node.classList.toggle('later', later(side, i));
                node.classList.toggle('faint', seen && !(weight >= SMALL));
                node.classList.toggle('inward', chosen?.side === 'keys');
                node.style.setProperty('--weight', weight || 0);
                node.tabIndex = i === first ? 0 : -1;
                node.setAttribute('aria-selected', chosen?.side === side && chosen.index === i);
                node.setAttribute('aria-label', seen ? `${name}, ${masked ? say('masked') : short(weight)}` : name);
                node.lastChild.textContent = seen ? (masked ? '–' : short(weight)) : '';
            });
        }
        lines.forEach((row, q) => row.forEach((line, k) => {
            const mine = chosen && (chosen.side === 'queries' ? q : k) === chosen.index;
            line.style.strokeWidth = values[q][k] >= SMALL && !later('queries', q) ? `${(12 * values[q][k]).toFixed(3)}px` : 0;
            line.setAttribute('class', mine ? chosen.side === 'keys' ? 'on inward' : 'on' : chosen ? 'off' : '');
        }));
        const told = sentence(chosen, values);
        if (says.textContent !== told) says.textContent = told;  // else a screen reader says it again
        stepping.hidden = next.hidden = !stepped();
        if (stepped()) {
            const { step } = state, doing = step ? say('writes', { step, steps: steps(), word: entry().target[step - 1] }) : say('whole', { steps: steps() });
            stepName.textContent = say('decoding', { doing });
            slider.value = step;
            slider.setAttribute('aria-valuetext', doing);
            back.disabled = !step;
            on.disabled = step === steps();
            drawNext(chosen?.side === 'queries' ? chosen.index + 1 : step);
        }
        drawWithout();
    };

    // Dark where the page's own ink is light: right in every theme of every page, whatever it calls its themes.
    const pixel = make('canvas', { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
    const follow = () => {
        if (!host.isConnected) return theme.disconnect();
        pixel.fillStyle = getComputedStyle(host).color;
        pixel.fillRect(0, 0, 1, 1);
        const [red, green, blue] = pixel.getImageData(0, 0, 1, 1).data;
        const dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 140;
        if (dark === host.hasAttribute('data-dark')) return;
        host.toggleAttribute('data-dark', dark);
        drawThumbs();
    };
    const theme = new MutationObserver(() => { follow(); setTimeout(follow, 300); });  // some pages fade from theme to theme
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', follow);
    build();
    const resized = new ResizeObserver(() => {  // also where a font has come, or the output is back in the page
        for (const node of [document.documentElement, document.body]) theme.observe(node, { attributes: true });
        host.toggleAttribute('data-narrow', host.clientWidth < 640);
        follow(); placeLines();
    });
    for (const node of [drawing, ...Object.values(lists)]) resized.observe(node);
};

// Some notebooks put a script into the page before the place that it draws in.
const find = left => {
    const places = document.querySelectorAll(`.${place}:not([data-drawn])`);
    for (const host of places) {
        host.setAttribute('data-drawn', '');
        try { attach(host); }
        catch (error) { host.shadowRoot?.replaceChildren(document.createElement('slot')); throw error; }  // shows the picture
    }
    if (left && !document.querySelector(`.${place}`)) requestAnimationFrame(() => find(left - 1));
};
find(300);
