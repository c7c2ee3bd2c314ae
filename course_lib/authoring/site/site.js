// The site's own script: the theme's button, the list of contents, and the search. Pages can be read without it.
const page = document.body.dataset, find = selector => document.querySelector(selector);
find('.tools').hidden = false;

// Light or dark: what the reader chose last, else what the system wants.
find('#theme-button').addEventListener('click', () => {
    const root = document.documentElement, dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const now = root.dataset.theme || (dark ? 'dark' : 'light');
    root.dataset.theme = now === 'dark' ? 'light' : 'dark';
    try { localStorage.setItem('course-theme', root.dataset.theme); } catch { /* a reader who keeps nothing */ }
});

// On a narrow screen the contents stand above the text: closed, until they are wanted.
const contents = find('.contents details'), narrow = matchMedia('(max-width: 68rem)');
const fold = () => { if (contents) contents.open = !narrow.matches; };
narrow.addEventListener('change', fold);
fold();

// What scrolls sideways can be reached by keyboard; what does not is no stop on the way.
const reach = () => {
    for (const node of document.querySelectorAll('pre, .wide, .display, div.output')) {
        if (node.scrollWidth > node.clientWidth + 1) {
            node.tabIndex = 0;
            if (!node.hasAttribute('role')) { node.setAttribute('role', 'group'); node.ariaLabel = node.matches('pre') ? 'code' : 'wide content'; }
        } else if (node.tabIndex === 0) { node.removeAttribute('tabindex'); }
    }
};
addEventListener('load', reach);
addEventListener('resize', reach);

// The section that is read is marked in the contents.
const links = new Map([...document.querySelectorAll('.contents a')].map(link => [decodeURIComponent(link.hash.slice(1)), link]));
const headings = [...document.querySelectorAll('article :is(h2, h3)[id]')];
let marked = null;
const mark = () => {
    const read = headings.filter(heading => heading.getBoundingClientRect().top < innerHeight / 3).at(-1);
    const link = read && links.get(read.id);
    if (link === marked) return;
    marked?.removeAttribute('aria-current');
    link?.setAttribute('aria-current', 'true');
    if (link && !narrow.matches) {
        const list = find('.contents'), place = link.offsetTop - list.offsetTop;
        if (place < list.scrollTop || place > list.scrollTop + list.clientHeight - 60) list.scrollTop = place - list.clientHeight / 2;
    }
    marked = link;
};
let waiting = false;
addEventListener('scroll', () => {
    if (!waiting) requestAnimationFrame(() => { waiting = false; mark(); });
    waiting = true;
}, { passive: true });
mark();

// Search: every word must be in a section. Headings count most, then lessons, then the page's own language. The index is loaded when it is first wanted.
const dialog = find('#search'), input = dialog.querySelector('input'), list = dialog.querySelector('ol');
const status = dialog.querySelector('[role=status]');
let index = null, loading = null;
const load = () => loading ??= new Promise(resolve => { // once, however fast one types
    const script = document.createElement('script');
    script.src = `${page.top}search.js`;
    script.onload = () => {
        index = COURSE_INDEX.map(row => ({ row, heading: `${row[1]} ${row[3]}`.toLowerCase(), text: row[4].toLowerCase() }));
        resolve();
    };
    document.head.append(script);
});
const score = ({ heading, text }, words) => words.reduce((sum, word) => {
    const times = text.split(word).length - 1, named = heading.includes(word);
    return sum === null || !(times || named) ? null : sum + 20 * named + Math.min(times, 8);
}, 0);
const kin = name => 30 * /(^|\/)\d\d_\w+\.html$/.test(name) + 15 * (name.includes('/') === (page.top !== ''));
const element = (name, text, parent) => {
    const node = document.createElement(name);
    node.textContent = text;
    parent.append(node);
    return node;
};
const excerpt = (text, words, parent) => {
    const lower = text.toLowerCase(), first = Math.min(...words.map(word => lower.indexOf(word)).filter(place => place >= 0), 1e9);
    const start = first === 1e9 ? 0 : Math.max(0, text.lastIndexOf(' ', Math.max(0, first - 50)) + 1);
    const piece = text.slice(start, start + 170), line = element('span', start ? '… ' : '', parent);
    const escaped = words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    piece.split(new RegExp(`(${escaped.join('|')})`, 'i')).forEach((part, i) => i % 2 ? element('mark', part, line) : line.append(part));
};
const show = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    await load();
    const found = words.length === 0 ? [] : index.map(entry => [score(entry, words), entry.row])
        .filter(([points]) => points !== null).map(([points, row]) => [points + kin(row[0]), row]).sort((a, b) => b[0] - a[0]).slice(0, 20);
    list.replaceChildren();
    status.textContent = found.length ? '' : words.length ? page.nothing : page.type;
    for (const [, [name, title, id, heading, text]] of found) {
        const link = element('a', '', element('li', '', list));
        link.href = page.top + name + (id && `#${id}`);
        element('b', heading || title, link);
        if (heading && heading !== title) element('small', title, link);
        excerpt(text, words, link);
    }
};
const open = () => { dialog.showModal(); input.select(); show(); };
find('#search-button').addEventListener('click', open);
input.addEventListener('input', show);
input.addEventListener('keydown', event => {
    if (event.key === 'Enter') { event.preventDefault(); list.querySelector('a')?.click(); }
    if (event.key === 'Escape') { event.preventDefault(); dialog.close(); } // a browser would only empty the box
});
list.addEventListener('click', () => dialog.close());
addEventListener('keydown', event => {
    const typing = event.composedPath()[0].closest?.('input, select, textarea, dialog');
    if ((event.key === '/' && !typing) || (event.key === 'k' && (event.ctrlKey || event.metaKey))) {
        event.preventDefault();
        if (!dialog.open) open();
    }
});
