// What the suites of pages share: the browser, two repositories (the examples; one whose every word tries to break out),
// and what every page must hold.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const BROWSERS = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = BROWSERS.find((one) => one && existsSync(one));
if (!executablePath) {
  console.error('no Chromium here: run scripts/setup.sh --tests, or set CHROMIUM');
  process.exit(77);
}
const require = createRequire(import.meta.url);
const {chromium} = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const lockstep = path.resolve(process.argv[2]);
const examples = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../examples');
export const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-pages-'));

function git(repository, ...words) {
  const names = {};
  for (const who of ['AUTHOR', 'COMMITTER']) {
    names[`GIT_${who}_NAME`] = '<script>document.title="ran"</script>';
    names[`GIT_${who}_EMAIL`] = 'a@example.org';
  }
  return execFileSync('git', ['-C', repository, ...words], {env: {...process.env, ...names}, encoding: 'utf8'});
}

function commit(repository, message) {
  git(repository, 'add', '-A');
  git(repository, 'commit', '-q', '-m', message);
}

export function exampleRepository(number = 0) {
  const repository = path.join(folder, `example${number || ''}`);
  cpSync(path.join(examples, 'minitrain'), repository, {recursive: true});
  git(repository, 'init', '-q', '-b', 'main');
  commit(repository, 'Add the library');
  const requests = path.join(examples, 'pull_requests');
  const patch = readdirSync(requests).filter((name) => name.endsWith('.patch')).sort()[number];
  git(repository, 'apply', path.join(requests, patch));
  commit(repository, JSON.parse(readFileSync(path.join(requests, patch.replace('.patch', '.json')))).title);
  return repository;
}

export const ATTACK = '<script>document.title="ran"</script><img src=x onerror="document.title=\'ran\'"></style></code></pre></svg>';
const BODY = `${ATTACK}

[click](javascript:document.title='ran') ![](https://example.org/x.png) <https://example.org/y>
<style>body{display:none}</style> <meta http-equiv=refresh content="0;url=https://example.org"> " onload="document.title='ran'
\`${ATTACK}\` &lt;script&gt; ]]> --> <!-- \u202eevil\u202c \u0000 #12 `;

const CODE = (value) => `"""${ATTACK}"""
import torch


def layer(x, text="${ATTACK.replaceAll('"', '\\"')}"):
    """${ATTACK.replaceAll('"', "'")}

    Args:
        x: [s, b, h] ${ATTACK.replaceAll('"', "'")}
    """
    # ${ATTACK} \u202e
    if text == '</pre><script>document.title="ran"</script>':
        raise ValueError('<svg onload=document.title="ran">')
    return torch.distributed.all_reduce(x * ${value})


if __name__ == "__main__":
    layer(1)
`;

export function hostileRepository() {
  const repository = path.join(folder, 'hostile');
  const name = '"><img src=x onerror=document.title=\'ran\'>.py';
  mkdirSync(repository);
  git(repository, 'init', '-q', '-b', 'main');
  for (const value of [1, 2]) {
    writeFileSync(path.join(repository, 'code.py'), CODE(value));
    writeFileSync(path.join(repository, name), CODE(value + 1));
    writeFileSync(path.join(repository, 'notes.md'), `${BODY}${value}`.replaceAll('\u0000', ''));
    commit(repository, `${ATTACK} #1 \`x\`\n\n${BODY.replaceAll('\u0000', '')}`);
  }
  return repository;
}

export async function checkAccessible(page, name) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({colorScheme});
    await page.evaluate(axe);
    const {violations} = await page.evaluate(() => globalThis.axe.run());
    const bad = violations.filter((one) => ['serious', 'critical'].includes(one.impact));
    assert.deepEqual(bad.map((one) => [one.id, one.nodes[0].html.slice(0, 200)]), [], `${name}, ${colorScheme}`);
  }
}

export async function checkLinks(page, name) {
  const dead = await page.evaluate(() => [...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href'))
      .filter((to) => to.startsWith('#') ? !document.getElementById(to.slice(1)) : !/^https?:\/\//.test(to)));
  assert.deepEqual(dead, [], `${name}: links`);
  const ids = await page.evaluate(() => [...document.querySelectorAll('[id]')].map((one) => one.id));
  assert.equal(new Set(ids).size, ids.length, `${name}: an id twice`);
}

/// Loads a page from disk; `noise` collects what it says on the console, what it asks for, and what it does wrong.
export async function openPage(browser, file) {
  const page = await browser.newPage();
  const noise = [];
  page.on('console', (message) => noise.push(message.text()));
  page.on('pageerror', (error) => noise.push(String(error)));
  page.on('dialog', (dialog) => noise.push(dialog.message()));
  page.on('request', (request) => request.url() === pathToFileURL(file).href || noise.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  return {page, noise};
}

/// Runs `use(browser)`, and leaves nothing behind. Pictures go to LOCKSTEP_SCREENSHOTS where that names a folder.
export async function withBrowser(use) {
  const browser = await chromium.launch({executablePath, args: ['--no-sandbox']});
  try {
    await use(browser);
  } finally {
    await browser.close();
    rmSync(folder, {recursive: true, force: true});
  }
}

export async function keepPicture(page, name) {
  const to = process.env.LOCKSTEP_SCREENSHOTS;
  if (!to) return;
  mkdirSync(to, {recursive: true});
  await page.screenshot({path: path.join(to, `${name}.png`), fullPage: false});
}
