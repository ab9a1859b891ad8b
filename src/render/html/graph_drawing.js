'use strict';
// The neighbourhood of one function: callers to the left, callees to the right, in layers by distance; zoom and pan.
const BOX = { width: 216, height: 34, gapX: 70, gapY: 10 };
const MOST_IN_LAYER = 14;

function svg(tag, options, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(options || {})) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

// Layers of nodes around the centre; the most important of each are drawn, the rest counted.
function neighbourhood(centre, depth) {
  const layerOf = new Map([[centre, 0]]);
  const layers = new Map([[0, { nodes: [centre], more: 0 }]]);
  for (const side of [-1, 1]) {
    let ring = [centre];
    for (let distance = 1; distance <= depth && ring.length > 0; ++distance) {
      const next = new Set();
      for (const node of ring) {
        const near = side < 0 ? graph.callersOf(node) : graph.callsOf(node).map((call) => call.to).filter((to) => to >= 0);
        for (const other of near) if (!layerOf.has(other)) next.add(other);
      }
      const sorted = [...next].sort((a, b) => graph.rank(b) - graph.rank(a) || a - b);
      ring = sorted.slice(0, MOST_IN_LAYER).sort((a, b) => a - b);
      for (const node of ring) layerOf.set(node, side * distance);
      layers.set(side * distance, { nodes: ring, more: sorted.length - ring.length });
    }
  }
  return { layerOf, layers };
}

function shortened(text, most) {
  return text.length <= most ? text : `…${text.slice(text.length - most + 1)}`;
}

function drawBox(node, x, y, isCentre, open) {
  const marks = (graph.collectives(node).length > 0 ? ' alert' : graph.syncs(node).length > 0 ? ' sync' : '') + (isCentre ? ' centre' : '');
  const box = svg('g', { class: `box${marks}`, transform: `translate(${x} ${y})`, tabindex: '0', role: 'link', 'aria-label': graph.qualified(node),
    onclick: () => open(node), onkeydown: (event) => { if (event.key === 'Enter') open(node); } },
  svg('rect', { width: BOX.width, height: BOX.height, rx: 5 }));
  const label = svg('text', { x: 7, y: 14 });
  label.textContent = shortened(graph.label(node), 30);
  const below = svg('text', { x: 7, y: 27, class: 'below' });
  below.textContent = shortened(`${graph.file(node).path}:${graph.first(node)}`, 38);
  const hint = svg('title');
  hint.textContent = graph.qualified(node);
  box.append(label, below, hint);
  return box;
}

function placeLayers(layers) {
  const places = new Map();
  const tallest = Math.max(...[...layers.values()].map((layer) => layer.nodes.length + (layer.more > 0 ? 1 : 0)));
  const notes = [];
  for (const [layer, { nodes, more }] of layers) {
    const x = layer * (BOX.width + BOX.gapX);
    const size = nodes.length + (more > 0 ? 1 : 0);
    const top = (tallest - size) / 2 * (BOX.height + BOX.gapY);
    nodes.forEach((node, at) => places.set(node, { x, y: top + at * (BOX.height + BOX.gapY) }));
    if (more > 0) notes.push({ x: x + 7, y: top + nodes.length * (BOX.height + BOX.gapY) + 14, text: `+ ${more} more` });
  }
  return { places, notes };
}

function drawEdges(places) {
  const edges = [];
  for (const [node, from] of places) {
    for (const call of graph.callsOf(node)) {
      const to = places.get(call.to);
      if (to === undefined || to.x <= from.x) continue;  // only from layer to layer: the page lists the rest
      const x1 = from.x + BOX.width, y1 = from.y + BOX.height / 2, x2 = to.x, y2 = to.y + BOX.height / 2;
      const bend = Math.max(30, Math.abs(x2 - x1) / 2);
      edges.push(svg('path', { class: `edge${call.certainty > 0 ? ' possible' : ''}`, 'marker-end': 'url(#tip)',
        d: `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` }));
    }
  }
  return edges;
}

// One drawing: element, with zoom by wheel, keys and buttons, and panning by drag and arrow keys.
function drawing(centre, depth, open) {
  const { layers } = neighbourhood(centre, depth);
  const { places, notes } = placeLayers(layers);
  const scene = svg('g');
  scene.append(...drawEdges(places));
  for (const [node, at] of places) scene.append(drawBox(node, at.x, at.y, node === centre, open));
  for (const note of notes) {
    const text = svg('text', { x: note.x, y: note.y, class: 'below', fill: 'currentColor', 'font-size': 11 });
    text.textContent = note.text;
    scene.append(text);
  }
  const tip = svg('marker', { id: 'tip', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' },
    svg('path', { d: 'M0 0 L8 4 L0 8 z', fill: 'gray' }));
  const picture = svg('svg', { tabindex: '0', role: 'group', 'aria-label': 'Callers and callees, drawn' }, svg('defs', {}, tip), scene);

  const xs = [...places.values()].map((at) => at.x), ys = [...places.values()].map((at) => at.y);
  const bounds = { x: Math.min(...xs) - 12, y: Math.min(...ys) - 12, w: Math.max(...xs) - Math.min(...xs) + BOX.width + 24,
    h: Math.max(...ys) - Math.min(...ys) + BOX.height + 44 };
  let view = { ...bounds };
  const show = () => picture.setAttribute('viewBox', `${view.x} ${view.y} ${view.w} ${view.h}`);
  const zoom = (factor, cx = 0.5, cy = 0.5) => {
    const w = Math.min(Math.max(view.w * factor, 120), bounds.w * 8), h = view.h * (w / view.w);
    view = { x: view.x + (view.w - w) * cx, y: view.y + (view.h - h) * cy, w, h };
    show();
  };
  const fit = () => { view = { ...bounds }; show(); };
  const move = (dx, dy) => { view.x += dx * view.w; view.y += dy * view.h; show(); };
  show();
  picture.addEventListener('wheel', (event) => {
    event.preventDefault();
    const box = picture.getBoundingClientRect();
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }, { passive: false });
  let drag = null;
  picture.addEventListener('pointerdown', (event) => { drag = { x: event.clientX, y: event.clientY }; });
  picture.addEventListener('pointermove', (event) => {
    if (drag === null || event.buttons === 0) return;
    const box = picture.getBoundingClientRect();
    const scale = Math.max(view.w / box.width, view.h / box.height);
    view.x -= (event.clientX - drag.x) * scale;
    view.y -= (event.clientY - drag.y) * scale;
    drag = { x: event.clientX, y: event.clientY };
    show();
  });
  picture.addEventListener('pointerup', () => { drag = null; });
  const keys = { '+': () => zoom(1 / 1.2), '=': () => zoom(1 / 1.2), '-': () => zoom(1.2), '0': fit, ArrowLeft: () => move(-0.1, 0),
    ArrowRight: () => move(0.1, 0), ArrowUp: () => move(0, -0.1), ArrowDown: () => move(0, 0.1) };
  picture.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.key in keys)) return;
    keys[event.key]();
    event.preventDefault();
  });
  return { picture, zoom, fit };
}
