'use strict';
// Folders, the search box, keys, and which page the address asks for.
const folders = document.getElementById('folders');
const box = document.getElementById('search');
const results = document.getElementById('results');
const page = document.getElementById('page');
const MOST_RESULTS = 100;

// --- folders: rows are made when their folder opens -----------------------------------------------------------------
function folderTree() {
  const root = { name: '', folders: new Map(), files: [], functions: 0 };
  graph.raw.files.forEach((file, at) => {
    const parts = file.path.split('/');
    let folder = root;
    for (const part of parts.slice(0, -1)) {
      if (!folder.folders.has(part)) folder.folders.set(part, { name: part, folders: new Map(), files: [], functions: 0 });
      folder = folder.folders.get(part);
      folder.functions += file.count;
    }
    folder.files.push({ name: parts[parts.length - 1], at });
  });
  return root;
}

function row(depth, text, count, hasChildren, fill, act) {
  const element = make('span', { class: `row in${Math.min(depth, 8)}`, role: 'treeitem', tabindex: '-1', 'aria-level': String(depth + 1) });
  const sign = make('span', { 'aria-hidden': 'true' }, hasChildren ? '▸ ' : '');
  element.append(sign, text, count === null ? '' : make('span', { class: 'count' }, ` ${count}`));
  const group = make('div', { role: 'group', hidden: '' });
  let filled = false;
  element.toggle = (wanted) => {
    if (!hasChildren) return;
    const opens = wanted === undefined ? group.hidden : wanted;
    if (opens && !filled) {
      fill(group);
      filled = true;
    }
    group.hidden = !opens;
    sign.textContent = opens ? '▾ ' : '▸ ';
    element.setAttribute('aria-expanded', String(opens));
  };
  if (hasChildren) element.setAttribute('aria-expanded', 'false');
  element.act = () => (act === undefined ? element.toggle() : act());
  element.addEventListener('click', () => { focusRow(element); element.act(); });
  const wrapper = make('div', {}, element, group);
  return wrapper;
}

function fillFolder(folder, depth, into) {
  const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  for (const child of [...folder.folders.values()].sort(byName)) {
    into.append(row(depth, `${child.name}/`, child.functions, true, (group) => fillFolder(child, depth + 1, group)));
  }
  for (const file of folder.files.sort(byName)) {
    const { first, count } = graph.raw.files[file.at];
    into.append(row(depth, file.name, count, true, (group) => {
      for (let node = first; node < first + count; ++node) {
        if (graph.flags(node) & FLAG.lambda) continue;
        group.append(row(depth + 1, graph.name(node), null, false, null, () => open(node)));
      }
    }));
  }
}

function focusRow(element) {
  for (const other of folders.querySelectorAll('[tabindex="0"]')) other.setAttribute('tabindex', '-1');
  element.setAttribute('tabindex', '0');
  element.focus();
}

folders.addEventListener('keydown', (event) => {
  const current = document.activeElement;
  if (!current.classList.contains('row')) return;
  const rows = [...folders.querySelectorAll('.row')].filter((element) => element.offsetParent !== null);
  const at = rows.indexOf(current);
  const steps = {
    ArrowDown: () => rows[at + 1] && focusRow(rows[at + 1]), ArrowUp: () => rows[at - 1] && focusRow(rows[at - 1]),
    ArrowRight: () => current.toggle(true), Enter: () => current.act(), ' ': () => current.act(),
    Home: () => focusRow(rows[0]), End: () => focusRow(rows[rows.length - 1]),
    ArrowLeft: () => {
      if (current.getAttribute('aria-expanded') === 'true') return current.toggle(false);
      const parent = current.parentElement.parentElement.previousElementSibling;
      return parent !== null && parent.classList.contains('row') && focusRow(parent);
    },
  };
  if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
  steps[event.key]();
  event.preventDefault();
});

// --- search ----------------------------------------------------------------------------------------------------------
let chosen = 0;

function closeResults() {
  results.hidden = true;
  box.setAttribute('aria-expanded', 'false');
  box.removeAttribute('aria-activedescendant');
}

function choose(at) {
  const rows = results.querySelectorAll('[role="option"]');
  if (rows.length === 0) return;
  chosen = (at + rows.length) % rows.length;
  rows.forEach((element, index) => element.setAttribute('aria-selected', String(index === chosen)));
  rows[chosen].scrollIntoView({ block: 'nearest' });
  box.setAttribute('aria-activedescendant', rows[chosen].id);
}

function showResults() {
  const { found, total } = search(box.value, MOST_RESULTS);
  const rows = found.map((node, at) => {
    const element = make('div', { role: 'option', id: `result${at}`, 'aria-selected': 'false' },
      make('span', { class: 'name' }, graph.label(node)), make('span', { class: 'soft' }, `  ${graph.file(node).path}:${graph.first(node)}`));
    element.addEventListener('click', () => { closeResults(); open(node); });
    return element;
  });
  if (box.value.trim() !== '' && (total > found.length || total === 0)) {
    rows.push(make('div', { class: 'more' }, total === 0 ? 'Nothing has this name.' : `${total - found.length} more: type more of the name`));
  }
  results.replaceChildren(...rows);
  results.hidden = rows.length === 0;
  box.setAttribute('aria-expanded', String(rows.length > 0));
  choose(0);
}

box.addEventListener('input', showResults);
box.addEventListener('focus', () => { if (box.value !== '') showResults(); });
box.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') choose(chosen + 1);
  else if (event.key === 'ArrowUp') choose(chosen - 1);
  else if (event.key === 'Escape') closeResults();
  else if (event.key === 'Enter') {
    const rows = results.querySelectorAll('[role="option"]');
    if (!results.hidden && rows[chosen] !== undefined) rows[chosen].click();
  } else return;
  event.preventDefault();
});
document.addEventListener('pointerdown', (event) => { if (!event.target.closest('.search')) closeResults(); });

// --- keys, theme, address --------------------------------------------------------------------------------------------
function setTheme(dark) { document.documentElement.classList.toggle('dark', dark); }
function turnTheme() { setTheme(!document.documentElement.classList.contains('dark')); }
setTheme(matchMedia('(prefers-color-scheme: dark)').matches);
document.getElementById('theme').addEventListener('click', turnTheme);
document.getElementById('help').addEventListener('click', () => document.getElementById('keys').showModal());
document.addEventListener('keydown', (event) => {
  if (event.target.closest('input, dialog') || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === '/') box.focus();
  else if (event.key === 't') turnTheme();
  else if (event.key === '?') document.getElementById('keys').showModal();
  else return;
  event.preventDefault();
});

function showAddress() {
  let wanted = '';
  try {
    wanted = decodeURIComponent(location.hash.slice(1));
  } catch {
    wanted = '';  // not an address of this page
  }
  const node = wanted === '' ? -1 : graph.find(wanted);
  page.replaceChildren(node >= 0 ? nodePage(node) : homePage());
  if (wanted !== '' && node < 0) page.prepend(make('p', {}, `There is no function '${wanted}' here.`));
  page.scrollTop = 0;
  if (node >= 0) page.focus({ preventScroll: true });
}

fillFolder(folderTree(), 0, folders);
folders.setAttribute('role', 'tree');
const firstRow = folders.querySelector('.row');
if (firstRow !== null) firstRow.setAttribute('tabindex', '0');
addEventListener('hashchange', showAddress);
showAddress();
document.documentElement.dataset.ready = 'yes';
