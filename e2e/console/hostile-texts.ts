import type { Page } from 'playwright-core'

/** A script says that it ran by this name. */
const ranMark = 'scriptOfTenantRan'

/** Elements that the console itself does not draw on the screens with such texts. */
const madeElements =
  'img, iframe, object, embed, video, audio, style, script, base, link, meta, marquee, math, [onerror], [onload], [href^="//"], [href^="javascript:"]'

const act = `window.${ranMark}=1`
const elements = [
  'img src=x onerror=',
  'svg onload=',
  'body onload=',
  'input autofocus onfocus=',
  'select autofocus onfocus=',
  'a href=x autofocus onfocus=',
  'details open ontoggle=',
  'iframe onload=',
  'object data=x onerror=',
  'video src=x onerror=',
  'audio src=x onerror=',
  'style onload=',
  'marquee onstart=',
  'math><mglyph><style><img src=x onerror=',
]
const openings = [
  '',
  '">',
  "'>",
  '</title>',
  '</textarea>',
  '</script>',
  '-->',
  ']]>',
  '\u202e',
  '\u0000',
  '&lt;',
  '`',
  '<!--',
]
const addresses = [
  `javascript:${act}`,
  `data:text/html,<script>${act}</script>`,
  `vbscript:${act}`,
  '//evil.test/x.js',
]
const others = [
  `{{constructor.constructor('${act}')()}}`,
  `\${${act}}`,
  '__proto__',
  'constructor',
  '\ud800',
  '<base href=//evil.test>',
  '<meta http-equiv=refresh content="0;url=//evil.test">',
  '<link rel=stylesheet href=//evil.test/x.css>',
  '<iframe srcdoc="<script>parent.x=1</script>">',
  '<form action=//evil.test><button>',
  '\u001b]8;;https://evil.test\u0007link\u001b]8;;\u0007',
  '\u001b[2J\u001b[H',
  '😀'.repeat(256),
]

/** Texts that become scripts, requests or other elements where they are taken for more than text. */
export const hostileTexts: readonly string[] = [
  ...openings.flatMap((opening) => elements.map((element) => `${opening}<${element}"${act}">`)),
  ...openings.map((opening) => `${opening}<script>${act}</script>`),
  ...addresses.flatMap((address) => [
    address,
    `<a href="${address}">link</a>`,
    `[link](${address})`,
    `![image](${address})`,
  ]),
  ...others,
]

/** Those of them that JSON and Postgres may have. */
export const storedTexts = hostileTexts.filter((text) => text.isWellFormed() && !text.includes('\0'))

const [shown = ''] = storedTexts
/** The same text turns what comes after it, unless a screen takes the mark out. */
const name = `\u202e${shown}`

/** A name of a thing, and the part of it that a screen shows. */
export const hostileName = { name, shown }

/** A job whose every text is hostile: it prints its input, returns it, and names a file after it. */
export const hostileJob = {
  name,
  description: `${name}</p><script>${act}</script>`,
  input_instructions: hostileTexts.slice(0, 20).join('\n'),
  workScript: `python3 - <<'END'
import json, os
given = json.load(open(os.environ['SERVICE_INPUTS_FILE']))
print('\\n'.join(given))
json.dump(given, open(os.environ['SERVICE_OUTPUT_FILE'], 'w'))
open(os.environ['SERVICE_ARTIFACTS_DIR'] + '/"><img src=x onerror=${act}>.html', 'w').write('<script>${act}</script>')
END`,
  /** As keys and as values. */
  input: Object.fromEntries(storedTexts.map((text) => [text, text])),
}

/** A further version of it, whose every part differs. */
export const hostileDraft = {
  work_script: storedTexts.join('\n'),
  startup_script: name,
  input_instructions: storedTexts.slice(20).join('\n'),
  input_schema: JSON.stringify({
    type: 'object',
    properties: Object.fromEntries(
      [name, ...storedTexts.slice(0, 20)].map((text) => [text, { title: text }]),
    ),
  }),
  ordinary_env: { NAME: name },
}

/**
 * The effects of hostile texts on a page: scripts that ran, elements, and marks that turn the text around them. A field that a person
 * changes has its text as it is.
 */
export const tracesOf = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const texts = [document.title]
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode())
      if (walker.currentNode.parentElement.localName !== 'textarea') texts.push(walker.currentNode.data)
    for (const element of document.querySelectorAll('[title], [aria-label]'))
      texts.push(element.title ?? '', element.ariaLabel ?? '')
    return [
      ...(typeof ${ranMark} === 'undefined' ? [] : ['a script ran']),
      ...Array.from(document.querySelectorAll('main :is(${madeElements})'), ({ outerHTML }) => outerHTML),
      ...texts.filter((text) => /[\u202a-\u202e\u2066-\u2069]/.test(text)),
    ]
  })()`)
