'use strict';
// The page of a function, and of the whole repository when none is chosen.
const MOST_ROWS = 60;  // of one list, before a button shows more

function badge(text, kind) { return make('span', { class: `badge ${kind || ''}` }, text); }

function nodeLink(node) {
  return make('a', { href: `#${encodeURIComponent(graph.address(node))}`, class: 'name', title: graph.qualified(node) }, graph.label(node));
}

// A list that shows its first rows and the rest on demand, so that a function with a thousand callers opens at once.
function longList(rows, draw) {
  const list = make('ul', { class: 'calls' });
  const more = make('button', { type: 'button' });
  let shown = 0;
  const grow = () => {
    for (const row of rows.slice(shown, shown + MOST_ROWS)) list.append(draw(row));
    shown = Math.min(rows.length, shown + MOST_ROWS);
    more.hidden = shown === rows.length;
    more.textContent = `${rows.length - shown} more`;
  };
  more.addEventListener('click', grow);
  grow();
  return rows.length === 0 ? make('p', { class: 'soft' }, 'None in this repository.') : make('div', {}, list, more);
}

function callNotes(call, path) {
  const notes = [`${path}:${call.lines.slice(0, 6).join(', ')}${call.lines.length > 6 ? ', …' : ''}`];
  if (call.certainty > 0) notes.push(CERTAINTY[call.certainty]);
  if (KIND[call.kind] !== '') notes.push(KIND[call.kind]);
  if (call.loop) notes.push('in a loop');
  return make('span', { class: 'soft' }, ` ${notes.join(' · ')}`);
}

function callerRows(node) {
  const rows = [];
  for (const from of graph.callersOf(node)) rows.push({ from, call: graph.callsOf(from).find((call) => call.to === node) });
  return rows.sort((a, b) => graph.rank(b.from) - graph.rank(a.from) || a.from - b.from);
}

function markList(title, rows) {
  if (rows.length === 0) return null;
  const list = make('ul', { class: 'calls' });
  for (const row of rows) list.append(make('li', {}, row));
  return make('div', {}, make('h3', {}, title), list);
}

function drawingPart(node) {
  const frame = make('div', { class: 'drawing' });
  let depth = 1;
  const redraw = () => {
    const { picture, zoom, fit } = drawing(node, depth, open);
    const tools = make('div', { class: 'tools' });
    const button = (text, label, act) => tools.append(make('button', { type: 'button', 'aria-label': label, title: label, onclick: act }, text));
    button(`${depth} ${depth === 1 ? 'call' : 'calls'}`, 'How far the drawing reaches', () => { depth = depth % 3 + 1; redraw(); });
    button('+', 'Zoom in', () => zoom(1 / 1.3));
    button('−', 'Zoom out', () => zoom(1.3));
    button('fit', 'Fit the drawing', fit);
    frame.replaceChildren(picture, tools);
  };
  redraw();
  return frame;
}

function flagBadges(node) {
  const flags = graph.flags(node);
  const badges = make('div', {});
  if (flags & FLAG.entry) badges.append(badge('entry: a run starts here'));
  if (flags & FLAG.test) badges.append(badge('test'));
  if (flags & FLAG.hot) badges.append(badge('hot', 'hot'));
  if (graph.step(node) >= 0) badges.append(badge(`training step + ${graph.step(node)}`));
  if (graph.collectives(node).length > 0) badges.append(badge('collectives', 'alert'));
  if (graph.syncs(node).length > 0) badges.append(badge('host syncs', 'sync'));
  return badges;
}

function nodePage(node) {
  const path = graph.file(node).path;
  const calls = graph.callsOf(node);
  const inside = calls.filter((call) => call.to >= 0);
  const outside = calls.filter((call) => call.to < 0);
  const callers = callerRows(node);
  const page = make('article', {},
    make('h2', { class: 'name' }, graph.label(node)),
    make('div', { class: 'soft' }, make('code', {}, `${path}:${graph.first(node)}-${graph.last(node)}`), ` · ${graph.qualified(node)}`),
    graph.params(node) === '' ? null : make('p', {}, make('code', {}, `(${graph.params(node)})`)),
    graph.doc(node) === '' ? null : make('p', {}, graph.doc(node)),
    flagBadges(node), drawingPart(node));
  page.append(make('div', { class: 'columns' },
    make('div', {}, make('h3', {}, `Callers (${callers.length})`),
      longList(callers, (row) => make('li', {}, nodeLink(row.from), callNotes(row.call, graph.file(row.from).path)))),
    make('div', {}, make('h3', {}, `Callees (${inside.length})`),
      longList(inside, (call) => make('li', {}, nodeLink(call.to), callNotes(call, path))))));
  const marks = make('div', { class: 'columns' });
  for (const part of [markList('Collectives', graph.collectives(node).map(([operation, group, line]) => `${operation}${group ? ` on ${group}` : ''} · line ${line}`)),
    markList('The host waits for the device', graph.syncs(node).map(([call, line, sure]) => `${call} · line ${line}${sure ? '' : ' · if the value is on the device'}`)),
    markList('Config fields read', graph.config(node))]) if (part !== null) marks.append(part);
  page.append(marks);
  if (outside.length > 0) {
    page.append(make('h3', {}, `Calls of other libraries (${outside.length})`),
      longList(outside, (call) => make('li', {}, make('code', {}, graph.external(call.to)), callNotes(call, path))));
  }
  return page;
}

function homePage() {
  const byRank = (nodes) => nodes.sort((a, b) => graph.rank(b) - graph.rank(a) || a - b);
  const all = [...Array(graph.count).keys()];
  const list = (title, nodes) => make('div', {}, make('h3', {}, title),
    longList(nodes, (node) => make('li', {}, nodeLink(node), make('span', { class: 'soft' }, ` ${graph.file(node).path}:${graph.first(node)}`))));
  const { files, functions, edges } = graph.raw.counts;
  return make('article', {}, make('h2', {}, graph.raw.title),
    make('p', { class: 'soft' }, `${files} files · ${functions} functions · ${edges} call edges between them. Search with /, or open a folder.`),
    make('div', { class: 'columns' },
      list('Where runs start', byRank(all.filter((node) => graph.flags(node) & FLAG.entry))),
      list('What matters most', byRank(all.filter((node) => !(graph.flags(node) & (FLAG.test | FLAG.body)))).slice(0, 200)),
      list('What communicates', byRank(all.filter((node) => graph.collectives(node).length > 0 && !(graph.flags(node) & FLAG.test))))));
}

function open(node) { location.hash = encodeURIComponent(graph.address(node)); }
