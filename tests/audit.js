// What a reader of the open notebook cannot see, read or reach: a list of sentences, empty when all is well.
() => {
    const panel = jupyterapp.shell.currentWidget.node;
    const all = (selector, root = panel) => [...root.querySelectorAll(selector)].filter(node => node.checkVisibility());
    const rendered = all('.jp-RenderedMarkdown, .jp-OutputArea-output');
    const faults = new Set();
    const short = text => JSON.stringify(text.trim().slice(0, 60));

    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgba = css => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = css;
        canvas.fillRect(0, 0, 1, 1);
        const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
        return [red, green, blue, alpha / 255];
    };
    const over = (above, below) => above.slice(0, 3).map((c, i) => c * above[3] + below[i] * (1 - above[3])).concat(1);
    const background = node => {
        if (!node) return [255, 255, 255, 1];
        const own = rgba(getComputedStyle(node).backgroundColor);
        return own[3] === 1 ? own : over(own, background(node.parentElement));
    };
    const luminance = color => {
        const linear = color.slice(0, 3).map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    const contrast = node => {  // of its text, by WCAG 2
        const below = background(node), color = rgba(getComputedStyle(node).color);
        for (let around = node; around; around = around.parentElement) color[3] *= getComputedStyle(around).opacity;
        const [dark, light] = [luminance(over(color, below)), luminance(below)].sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
    };
    const needed = node => {
        const { fontSize, fontWeight } = getComputedStyle(node);
        return parseFloat(fontSize) >= (fontWeight >= 700 ? 18.66 : 24) ? 3 : 4.5;
    };
    for (const root of rendered) {
        const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const node = texts.currentNode.parentElement, text = texts.currentNode.data;
            if (!text.trim() || !node.checkVisibility() || node.closest('mjx-assistive-mml, style, script')) continue;
            const found = contrast(node.closest('select') || node);
            if (found < needed(node)) faults.add(`contrast ${found.toFixed(2)} of ${short(text)}`);
        }
    }

    for (const image of all('img, canvas, svg[role=img]').filter(node => rendered.some(root => root.contains(node)))) {
        const told = image.getAttribute('alt') ?? image.getAttribute('aria-label') ?? '';
        if (told.length < 30) faults.add(`an image says only ${short(told)}`);
    }

    for (const node of rendered.flatMap(root => all('*', root))) {
        const box = node.getBoundingClientRect();
        if (!box.width || node.closest('mjx-assistive-mml')) continue;
        for (let around = node.parentElement; panel.contains(around); around = around.parentElement) {
            const { overflowX } = getComputedStyle(around);
            if (overflowX === 'visible') continue;
            if (overflowX === 'auto' || overflowX === 'scroll') break;
            if (box.right > around.getBoundingClientRect().right + 1) faults.add(`cut off: ${node.localName} ${short(node.textContent)}`);
        }
    }

    for (const control of rendered.flatMap(root => all('select, input, textarea, button, [role=slider]', root))) {
        const labels = [control.ariaLabel, ...[...control.labels ?? []].map(label => label.textContent), control.title];
        if (control.localName === 'button') labels.push(control.textContent);
        if (!labels.some(label => label?.trim())) faults.add(`no name: ${control.outerHTML.slice(0, 100)}`);
        if (control.tabIndex < 0) faults.add(`not reached by Tab: ${control.outerHTML.slice(0, 100)}`);
    }

    const levels = all('h1, h2, h3, h4, h5, h6').map(heading => [Number(heading.localName[1]), heading.textContent]);
    if (levels.filter(([level]) => level === 1).length !== 1) faults.add(`${levels.filter(([level]) => level === 1).length} H1`);
    levels.slice(1).forEach(([level, text], i) => {
        if (level - levels[i][0] > 1) faults.add(`heading ${short(text)}: H${level} below H${levels[i][0]}`);
    });

    for (const mime of ['stderr', 'error']) {  // an explorer's output keeps its errors to itself
        const inside = all(`.jupyter-widgets [data-mime-type="application/vnd.jupyter.${mime}"]`);
        inside.forEach(node => faults.add(`${mime} in a widget: ${short(node.textContent)}`));
    }
    return [...faults];
}
