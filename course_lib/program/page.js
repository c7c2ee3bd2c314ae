// What the page shows, and what answers to the reader.
(() => {
    const at = id => document.getElementById(id), model = JSON.parse(at('model').textContent);
    at('empty').hidden = Boolean(model);
    if (!model) return;
    at('app').hidden = false;
    const translate = Translator(model), known = new Set(model.source.slice(4)), LONGEST = 126;
    const text = JSON.parse(at('text').textContent), KINDS = ['cross', 'encoder', 'decoder'], READ = 'en', WRITTEN = 'zh-Hans';
    const say = (name, values = {}) => text[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);  // page_text.py
    const state = { words: [], told: null, kind: 'cross', head: '', run: 0, example: -1 };

    // make('p', {className: 'soft'}, 'text', node ...) is an element; texts are never read as HTML.
    const make = (name, properties = {}, ...inside) => {
        const node = Object.assign(document.createElement(name), properties);
        node.append(...inside);
        return node;
    };
    const button = (name, run, properties = {}) => make('button', { type: 'button', onclick: run, ...properties }, name);
    const header = (name, scope, lang) => make('th', { scope, ...lang && { lang } }, make('span', {}, name));
    const listed = words => words.map(word => `“${word}”`).join(text.between);
    const plain = words => words.filter(word => word !== '<eos>' && word !== '<pad>');

    // Sentences: small letters, and marks are words of their own, as in the corpus.
    const wordsOf = typed => typed.toLowerCase().replaceAll('’', "'").match(/[\p{L}\p{N}_]+(?:-[\p{L}\p{N}_]+)*|'[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]/gu) ?? [];
    const isMark = word => !/[\p{L}\p{N}]/u.test(word);
    const distance = (a, b) => {  // letters to add, to leave out, to replace, or to swap with the next one
        const rows = [[...Array(b.length + 1).keys()]];
        for (let i = 1; i <= a.length; i++) {
            rows.push([i]);
            for (let j = 1; j <= b.length; j++) {
                const other = a[i - 1] !== b[j - 1];
                rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + other);
                if (i > 1 && j > 1 && other && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
                    rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
            }
        }
        return rows[a.length][b.length];
    };
    const near = word => [...known].map(other => [distance(word, other), other])
        .filter(([far, other]) => far <= Math.max(1, Math.min(word.length, other.length) / 3))
        .sort((a, b) => a[0] - b[0]).slice(0, 3).map(([, other]) => other);

    const sentence = at('sentence'), said = at('said');
    const replaced = (word, other) => {
        sentence.value = wordsOf(sentence.value).map(one => one === word ? other : one).join(' ');
        go();
        sentence.focus();
    };
    const complain = (unknown, leftOut) => {
        const lines = [];
        if (unknown.length) lines.push(make('p', {}, say(unknown.length > 1 ? 'unknown words' : 'unknown', { listed: listed(unknown) })));
        for (const word of unknown) {
            const others = near(word);
            lines.push(make('p', {}, say(others.length ? 'instead' : 'not near', { word }),
                ...others.map(other => button(other, () => replaced(word, other), { className: 'word', ariaLabel: say('instead of', { other, word }) }))));
        }
        if (leftOut.length) lines.push(make('p', {}, say('left out', { listed: listed(leftOut) })));
        said.replaceChildren(...lines);
    };

    // Attention: a table with a percentage in each cell. The ink is black or white, whichever can be read.
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const paint = (cell, weight) => {
        const [from, to] = dark.matches ? [[29, 33, 39], [134, 189, 242]] : [[240, 242, 245], [31, 95, 156]];
        const color = from.map((v, i) => Math.round(v + (to[i] - v) * weight));
        const light = color.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        const luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
        cell.style.background = `rgb(${color})`;
        cell.style.color = luminance > 0.179 ? '#000' : '#fff';
    };
    const showMap = () => {
        const { source, target, maps } = state.told, { kind, head } = state, read = ['<bos>', ...target.slice(0, -1)];
        const [rows, columns] = { cross: [target, source], encoder: [source, source], decoder: [read, read] }[kind];
        const [layer, one] = head.split(' ').map(Number), heads = maps[kind][layer], chosen = one < 0 ? heads : [heads[one]];
        const languages = { cross: [WRITTEN, READ], encoder: [READ, READ], decoder: [WRITTEN, WRITTEN] }[kind];
        at('about').textContent = say(`about ${kind}`);
        at('map').replaceChildren(
            make('caption', {}, say('caption', { kind: say(`${kind} attention`), place: nameOf(layer, one) })),
            make('thead', {}, make('tr', {}, make('td'), ...columns.map(word => header(word, 'col', languages[1])))),
            make('tbody', {}, ...rows.map((word, r) => make('tr', {}, header(word, 'row', languages[0]), ...columns.map((_, c) => {
                const weight = chosen.reduce((sum, one) => sum + (one[r][c] ?? 0), 0) / chosen.length;
                const hidden = kind === 'decoder' && c > r, cell = make('td', {}, hidden ? '' : String(Math.round(100 * weight)));
                if (!hidden) paint(cell, weight);
                return cell;
            })))));
    };
    const nameOf = (layer, head, whole = 'mean of') => say(head < 0 ? whole : 'head of', { layer, head });
    const radios = (place, name, choices, chosen, run) => {
        place.replaceChildren(place.querySelector('legend'), ...choices.map(([value, label]) => make('label', {},
            make('input', { type: 'radio', name, value, checked: value === chosen, onchange: () => run(value) }), label)));
    };
    const choose = (kind, head) => {
        state.kind = kind;
        const maps = state.told.maps[kind], deep = maps.length > 1;
        const heads = maps.flatMap((layer, l) => [-1, ...layer.keys()].map(h => [`${l} ${h}`, deep ? say('head', { layer: l, head: h < 0 ? say('mean') : h }) : h < 0 ? say('mean') : h]));
        state.head = heads.some(([value]) => value === head) ? head : heads[0][0];
        radios(at('kinds'), 'kind', KINDS.map(name => [name, say(name)]), kind, value => { choose(value, state.head); at('kinds').querySelector(':checked').focus(); });
        radios(at('heads'), 'head', heads, state.head, value => { state.head = value; showMap(); });
        showMap();
    };

    // Words of `after` that are not in the longest common part of both lists are underlined.
    const compared = (before, after) => {
        const common = Array.from({ length: before.length + 1 }, () => Array(after.length + 1).fill(0));
        for (let i = before.length - 1; i >= 0; i--) for (let j = after.length - 1; j >= 0; j--)
            common[i][j] = before[i] === after[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
        const nodes = [];
        for (let i = 0, j = 0; j < after.length;) {
            if (i < before.length && before[i] === after[j]) { nodes.push(after[j++]); i++; }
            else if (i < before.length && common[i + 1][j] >= common[i][j + 1]) i++;
            else nodes.push(make('u', {}, after[j++]));
        }
        const changed = Math.max(before.length, after.length) - common[0][0];
        return { changed, nodes: nodes.flatMap((node, i) => i ? [' ', node] : [node]) };
    };
    const showOff = () => {
        const { maps, target } = state.told, table = at('off'), run = ++state.run, left = [];
        const bodies = KINDS.map(kind => make('tbody', { className: 'kind' },
            make('tr', {}, make('th', { colSpan: 3, scope: 'rowgroup' }, say(`${kind} attention`))),
            ...maps[kind].flatMap((heads, layer) => [-1, ...heads.keys()].map(head => {
                const place = nameOf(layer, head, 'all of'), cells = [make('td', { lang: WRITTEN }), make('td')];
                left.push({ off: (head < 0 ? [...heads.keys()] : [head]).map(h => [kind, layer, h]), cells });
                const show = () => { choose(kind, `${layer} ${head}`); at('maps-title').scrollIntoView(); at('heads').querySelector(':checked').focus({ preventScroll: true }); };
                return make('tr', {}, make('th', { scope: 'row' }, button(place, show, { ariaLabel: say('show', { place, kind: say(`${kind} attention`) }) })), ...cells);
            }))));
        table.replaceChildren(make('thead', {}, make('tr', {}, ...['off', 'translation', 'differ'].map(name => header(say(name), 'col')))), ...bodies);
        table.setAttribute('aria-busy', 'true');
        const next = () => {
            if (run !== state.run) return;  // another sentence has been typed
            const until = performance.now() + 30;
            while (left.length && performance.now() < until) {
                const { off, cells: [written, differ] } = left.shift();
                const { changed, nodes } = compared(plain(target), plain(translate(state.words, off).target));
                written.replaceChildren(...nodes.length ? nodes : [say('nothing')]);
                written.className = changed ? '' : 'same';
                differ.textContent = String(changed);
            }
            if (left.length) setTimeout(next);
            else table.setAttribute('aria-busy', 'false');
        };
        next();
    };

    const go = () => {
        const typed = wordsOf(sentence.value), leftOut = [...new Set(typed.filter(word => isMark(word) && !known.has(word)))];
        const words = typed.filter(word => !leftOut.includes(word));
        if (!words.length || words.length > LONGEST) {
            said.replaceChildren(make('p', {}, say(words.length ? 'long' : 'empty', { count: words.length, longest: LONGEST })));
            return;
        }
        complain([...new Set(words.filter(word => !known.has(word)))], leftOut);
        const began = performance.now(), told = translate(words), took = performance.now() - began;
        Object.assign(state, { words, told });
        at('chinese').textContent = plain(told.target).join(' ') || say('no word');
        at('took').textContent = say('took', { time: took.toFixed(1) });
        choose(state.kind, state.head);
        showOff();
    };

    // The words by kind; those that no kind has come last, by their first letters if they are many.
    const kinds = Object.entries(JSON.parse(at('kinds-of-words').textContent)).map(([name, words]) => [name, words.filter(word => known.has(word))]);
    const others = [...known].filter(word => !kinds.some(([, words]) => words.includes(word)));
    const letters = Map.groupBy ? [...Map.groupBy(others, word => isMark(word[0]) ? say('marks') : [...word][0])] : [[say('other words'), others]];
    const add = word => { sentence.value = `${sentence.value.trim()} ${word}`.trim(); go(); };
    for (const [name, words] of [...kinds, ...others.length > 200 ? letters : [[say('other words'), others]]]) {
        if (!words.length) continue;
        at('lists').append(make('h3', {}, name), make('ul', { className: 'words', lang: READ }, ...words.map(word => make('li', {}, button(word, () => add(word), { className: 'word' })))));
    }
    at('words').querySelector('summary').textContent = say('words', { count: known.size });
    at('another').hidden = model.examples.length < 2;
    const another = () => {
        state.example = (state.example + 1) % model.examples.length;
        sentence.value = model.examples[state.example][0];
        go();
    };
    at('another').addEventListener('click', another);
    document.forms[0].addEventListener('submit', event => { event.preventDefault(); go(); });
    dark.addEventListener('change', () => state.told && showMap());

    const compare = () => {
        const same = model.examples.filter(([source, target]) => plain(translate(source.split(' ')).target).join(' ') === target).length;
        const size = say('size', { count: model.parameters.toLocaleString('en') });
        at('checked').replaceChildren(size, make('br'), say('same', { same, count: model.examples.length }));
    };
    if (model.examples.length) {
        another();
        setTimeout(compare);
    }
})();
