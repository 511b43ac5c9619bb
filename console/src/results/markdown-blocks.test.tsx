import { Lexer } from 'marked'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { MarkdownBlocks } from './markdown-blocks.tsx'

const markup = (text: string) =>
  renderToStaticMarkup(<MarkdownBlocks tokens={Lexer.lex(text, { gfm: true })} />)
    .replace(/^<div[^>]*>|<\/div>$/g, '')
    .replaceAll(/ class="[^"]*"/g, '')

test.each([
  ['# One\n\n###### Six', '<h3>One</h3><h6>Six</h6>'],
  ['a **b** _c_ ~~d~~ `e`', '<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e</code></p>'],
  ['1. a\n2. b', '<ol start="1"><li>a</li><li>b</li></ol>'],
  ['- [x] done\n- [ ] open', '<ul><li>☑ done</li><li>☐ open</li></ul>'],
  ['> quoted', '<blockquote><p>quoted</p></blockquote>'],
  ['|a|\n|-|\n|b|', '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>'],
  ['```js\n1 < 2\n```', '<pre dir="ltr">1 &lt; 2</pre>'],
])('%j', (text, expected) => {
  expect(markup(text)).toBe(expected)
})

test.each([
  ['[words](javascript:alert(1))', '<p>words<span> (javascript:alert(1))</span></p>'],
  ['[words](https://evil.example/x)', '<p>words<span> (https://evil.example/x)</span></p>'],
  ['![alt](https://evil.example/x.png)', '<p>alt<span> (https://evil.example/x.png)</span></p>'],
  ['https://plain.example', '<p>https://plain.example</p>'],
])('an address is text: %j', (text, expected) => {
  expect(markup(text)).toBe(expected)
})

test.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  'a <b onclick="x">b</b>',
  '<div>\n\n# x',
])('HTML is text: %j', (text) => {
  expect(markup(text)).not.toMatch(/<(script|img|b|div)\b/)
  expect(markup(text)).toContain('&lt;')
})

test('characters that would change what is around them are replaced', () => {
  expect(markup('a\u202eb `c\u202ed`')).toBe('<p>a\ufffdb <code>c\ufffdd</code></p>')
})

test('the number and the depth of elements are bounded', () => {
  expect(markup('*a* '.repeat(30_000)).length).toBeLessThan(500_000)
  expect(markup(`${'> '.repeat(500)}deep`).length).toBeLessThan(5000)
})
