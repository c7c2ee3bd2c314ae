// A trained Transformer, computed in plain JavaScript: float32 vectors, keys and values kept, one word after the other.
//   const translate = Translator(model);               // the object that `model_for_page` in page.py makes
//   translate(['i', 'like', 'tea'])                    // {source, target, maps}
//   translate(words, [['cross', 0, 2]])                // without head 2 of layer 0 of the cross-attention
// maps.cross[layer][head][step] are the weights of one step. `target` ends with '<eos>' unless it reached its limit.
const Translator = model => {
    const { d_model: D, heads: H, norm_first: before, positions, steps: [slope, start, most], never } = model.config;
    const [PAD, BOS, EOS, UNK] = [0, 1, 2, 3], dk = D / H, SELF = 'self_attention', CROSS = 'cross_attention';

    // Matrices are bytes with a float32 scale for each row, vectors are float32.
    const bytes = Uint8Array.from(atob(model.data), c => c.charCodeAt(0)).buffer, tensors = {};
    for (const [name, rows, columns, at] of model.tensors) {
        if (!columns) tensors[name] = new Float32Array(bytes, at, rows);
        else {
            const scales = new Float32Array(bytes, at, rows), whole = new Int8Array(bytes, at + 4 * rows, rows * columns);
            tensors[name] = Float32Array.from(whole, (value, i) => value * scales[Math.floor(i / columns)]);
        }
    }
    const count = stack => {
        let layers = 0;
        while (tensors[`${stack}.${layers}.norm1.weight`]) layers++;
        return layers;
    };
    const layers = { encoder: count('encoder'), decoder: count('decoder') };
    const numbers = new Map(model.source.map((word, i) => [word, i]));

    const linear = (name, x) => {
        const weight = tensors[`${name}.weight`], bias = tensors[`${name}.bias`], n = x.length;
        const y = new Float32Array(weight.length / n);
        for (let i = 0, at = 0; i < y.length; i++) {
            let sum = bias ? bias[i] : 0;
            for (let j = 0; j < n; j++) sum += weight[at++] * x[j];
            y[i] = sum;
        }
        return y;
    };
    const norm = (name, x) => {
        const weight = tensors[`${name}.weight`], bias = tensors[`${name}.bias`];
        const mean = x.reduce((sum, v) => sum + v, 0) / D;
        const rate = 1 / Math.sqrt(x.reduce((sum, v) => sum + (v - mean) ** 2, 0) / D + 1e-5);
        return x.map((v, i) => (v - mean) * rate * weight[i] + bias[i]);
    };
    const last = (stack, x) => tensors[`${stack}.norm.weight`] ? norm(`${stack}.norm`, x) : x;
    const residual = (name, x, sublayer) => {
        const update = sublayer(before ? norm(name, x) : x), sum = x.map((v, i) => v + update[i]);
        return before ? sum : norm(name, sum);
    };
    const feed = (name, x) => linear(`${name}.linear2`, linear(`${name}.linear1`, x).map(v => Math.max(0, v)));
    const softmax = x => {
        const top = Math.max(...x), e = x.map(v => Math.exp(v - top)), sum = e.reduce((s, v) => s + v, 0);
        return e.map(v => v / sum);
    };
    const embed = (side, id, position) => {
        const root = Math.fround(Math.sqrt(D)), row = tensors[`${side}_embedding.table.weight`].slice(id * D, (id + 1) * D);
        return row.map((v, i) => {
            const angle = position / 10000 ** ((i - i % 2) / D);
            return v * root + (positions === 'sinusoidal' ? (i % 2 ? Math.cos : Math.sin)(angle) : 0);
        });
    };
    const turn = (x, position) => {  // rotary positions: each pair of neighboring dimensions of a head by its angle
        if (positions !== 'rotary') return x;
        for (let i = 0; i < D; i += 2) {
            const angle = position / 10000 ** ((i % dk) / dk), c = Math.cos(angle), s = Math.sin(angle), [a, b] = [x[i], x[i + 1]];
            x[i] = a * c - b * s;
            x[i + 1] = a * s + b * c;
        }
        return x;
    };
    // One query over all keys; its weights are added to `maps`, a list for each head.
    const attend = (name, query, { keys, values }, maps, off) => {
        const read = new Float32Array(D);
        for (let h = 0; h < H; h++) {
            const from = h * dk, to = from + dk;
            const weights = softmax(keys.map(key => {
                let sum = 0;
                for (let i = from; i < to; i++) sum += query[i] * key[i];
                return sum / Math.sqrt(dk);
            }));
            maps[h].push(weights);
            if (!off.has(h)) weights.forEach((p, k) => { for (let i = from; i < to; i++) read[i] += p * values[k][i]; });
        }
        return linear(`${name}.output`, read);
    };
    const query = (name, x, position) => turn(linear(`${name}.query`, x), position);
    const remember = (name, cache, x, position) => {
        cache.keys.push(turn(linear(`${name}.key`, x), position));
        cache.values.push(linear(`${name}.value`, x));
    };
    const unturned = (name, xs) => ({ keys: xs.map(x => linear(`${name}.key`, x)), values: xs.map(x => linear(`${name}.value`, x)) });
    const perHead = () => Array.from({ length: H }, () => []);

    const encode = (ids, maps, without) => {
        let xs = ids.map((id, i) => embed('source', id, i));
        for (let l = 0; l < layers.encoder; l++) {
            const name = `encoder.${l}`, attention = `${name}.${SELF}`, cache = { keys: [], values: [] };
            maps.push(perHead());
            xs.forEach((x, i) => remember(attention, cache, before ? norm(`${name}.norm1`, x) : x, i));
            xs = xs.map((x, i) => residual(`${name}.norm1`, x, y => attend(attention, query(attention, y, i), cache, maps[l], without('encoder', l))));
            xs = xs.map(x => residual(`${name}.norm2`, x, y => feed(`${name}.feed_forward`, y)));
        }
        return xs.map(x => last('encoder', x));
    };

    return (words, off = []) => {
        const without = (kind, layer) => new Set(off.filter(one => one[0] === kind && one[1] === layer).map(one => one[2]));
        const maps = { encoder: [], decoder: [], cross: [] };
        const ids = [...words.map(word => numbers.get(word) ?? UNK), EOS], memory = encode(ids, maps.encoder, without);
        const stack = Array.from({ length: layers.decoder }, (_, l) => {
            maps.decoder.push(perHead());
            maps.cross.push(perHead());
            return {
                name: `decoder.${l}`, own: { keys: [], values: [] }, memory: unturned(`decoder.${l}.${CROSS}`, memory),
                off: { own: without('decoder', l), cross: without('cross', l) },
            };
        });
        const target = [], limit = Math.min(slope * ids.length + start, most);
        for (let t = 0, id = BOS; t < limit && id !== EOS; t++) {
            let x = embed('target', id, t);
            stack.forEach(({ name, own, memory, off }, l) => {
                const self = `${name}.${SELF}`, cross = `${name}.${CROSS}`;
                x = residual(`${name}.norm1`, x, y => {
                    remember(self, own, y, t);
                    return attend(self, query(self, y, t), own, maps.decoder[l], off.own);
                });
                x = residual(`${name}.norm2`, x, y => attend(cross, linear(`${cross}.query`, y), memory, maps.cross[l], off.cross));
                x = residual(`${name}.norm3`, x, y => feed(`${name}.feed_forward`, y));
            });
            const logits = linear('output', last('decoder', x));
            for (const word of never) logits[word] = -Infinity;
            id = logits.indexOf(Math.max(...logits));
            target.push(model.target[id]);
        }
        return { source: ids.map(id => model.source[id]), target, maps };
    };
};
if (typeof module !== 'undefined') module.exports = Translator;
