import { describe, expect, it, test } from 'vitest'
import { IgnoreFile } from './ignore-file.ts'

const ignores = (text: string, path: string) => new IgnoreFile(Buffer.from(text)).ignores(path)

/** The verdicts of moby/patternmatcher's tests on one pattern and one path. */
const single: [pattern: string, matches: string[], others?: string[]][] = [
  ['**', ['file', 'dir/file']],
  ['**/', ['file', 'dir/file']],
  ['**/**', ['file', 'dir/file']],
  ['dir/**', ['dir/file', 'dir/dir2/file'], ['dir', 'directory']],
  ['**/dir', ['dir', 'dir/file', 'a/dir/file'], ['adir']],
  ['**/dir2/*', ['dir/dir2/file', 'dir/dir2/file/deeper'], ['dir2']],
  ['**/dir2/**', ['dir/dir2/dir3/file']],
  ['**file', ['file', 'dir/file', 'dir/dir/file', 'dir/afile']],
  ['**/file', ['dir/file', 'dir/dir/file'], ['afile']],
  ['**/file*', ['dir/dir/file', 'dir/dir/file.txt'], ['dir/a-file']],
  ['**/file*txt', ['dir/dir/file.txt']],
  ['**/file*.txt*', ['dir/dir/file.txt']],
  ['**/**/*.txt', ['file.txt', 'dir/dir/file.txt'], ['dir/file.txt2']],
  ['**/*.txt', ['file.txt']],
  ['a**/*.txt', ['a/file.txt', 'a/dir/dir/file.txt'], ['b/file.txt']],
  ['a/*.txt', ['a/file.txt'], ['a/dir/file.txt']],
  ['a/*.txt**', ['a/file.txt']],
  ['a[b-d]e', ['ace'], ['ae', 'aae']],
  ['a[^b-d]e', ['aze'], ['ace']],
  ['.*', ['.foo'], ['foo']],
  ['abc.def', ['abc.def'], ['abcdef', 'abcZdef']],
  ['abc?def', ['abcZdef'], ['abcdef']],
  ['a\\*b', ['a*b'], ['ab', 'axb']],
  ['**/foo/bar', ['foo/bar', 'dir/foo/bar', 'dir/dir2/foo/bar'], ['xfoo/bar']],
  ['abc/**', ['abc/def', 'abc/def/ghi'], ['abc']],
  ['**/.foo', ['.foo'], ['bar.foo']],
  ['a(b)c/def', ['a(b)c/def'], ['a(b)c/xyz']],
  ['a.|)$(}+{bc', ['a.|)$(}+{bc']],
  ['dist/*.whl', ['dist/proxy.py-2.4.0rc3.dev36+g08acad9-py3-none-any.whl']],
  ['a*b*c*d*e*/f', ['axbxcxdxe/f', 'axbxcxdxexxx/f'], ['axbxcxdxe/xxx/f', 'axbxcxdxexxx/fff']],
  ['a*b?c*x', ['abxbbxdbxebxczzx'], ['abxbbxdbxebxczzy']],
  ['a?b', ['a☺b'], ['a/b']],
  ['[a-ζ]*', ['α']],
  ['*[a-ζ]', [], ['A']],
  ['a[^a]b', ['a☺b']],
  ['a*b', [], ['a/b']],
  ['[\\]a]', [']']],
  ['[x\\-]', ['x', '-'], ['z']],
  // Slashes at either end, dots and doubled slashes.
  ['/abs/path/', ['abs/path', 'abs/path/file'], ['path']],
  ['./a//b/../c', ['a/c']],
  ['.', [], ['a']],
  ['../a', [], ['a']],
]

describe.each(single)('the pattern %s', (pattern, matches, others = []) => {
  it(`ignores ${matches.join(', ')}, and not ${others.join(', ')}`, () => {
    expect(matches.filter((path) => !ignores(pattern, path))).toEqual([])
    expect(others.filter((path) => ignores(pattern, path))).toEqual([])
  })
})

/** Several patterns, in BuildKit's order: the last that matches decides. */
const several: [text: string, seen: string[], ignored: string[]][] = [
  ['**\n!util/docker/web', ['util/docker/web', 'util/docker/web/foo'], ['util/docker/web2', 'util', 'a']],
  ['**\n!util/docker/web\nutil/docker/web/foo', ['util/docker/web/bar'], ['util/docker/web/foo']],
  ['**\n!dist/*.whl', ['dist/a.whl'], ['dist/a.txt']],
  [
    '# all but\n**\n!**/*.go\n**/*_test.go\n!go.mod\n!go.sum',
    ['cmd/main.go', 'internal/controller/c.go', 'api/v1/t.go', 'go.mod'],
    ['internal/controller/c_test.go', 'Dockerfile', 'internal'],
  ],
  ['*\n!src\n!package.json\n', ['src', 'src/deep/a', 'package.json'], ['node_modules', 'README.md']],
  ['docs\n!docs/README.md', ['docs/README.md'], ['docs', 'docs/a']],
  ['docs\n  !docs/README.md  \r', ['docs/README.md'], ['docs/a']],
  ['!docs\ndocs', [], ['docs', 'docs/a']],
  // A pattern that would not change the result of a folder is not remembered for what lies in it.
  ['a/x\n!a', [], ['a/x']],
  ['a\n!a', ['a', 'a/x'], []],
  ['\ufeffsecret\n', [], ['secret']],
  ['#secret\n #hash\n\n', ['#secret', 'secret'], ['#hash']],
  ['! /kept\n', ['kept'], []],
  ['**\n! /kept/', ['kept/a'], ['a']],
]

test.each(several)('%j sees and ignores what BuildKit does', (text, seen, ignored) => {
  expect([...seen, ...ignored].filter((path) => ignores(text, path))).toEqual(ignored)
})

test.each(['!', 'a\n! ', '[', 'a[', '[]a]', '[-]', '[x-]', '[-x]', '[a-b-c]', 'a\\', '[^]'])(
  'refuses the malformed pattern %j',
  (text) => {
    expect(() => ignores(text, 'a')).toThrow('ignore_file_malformed')
  },
)

test('a file of patterns is bounded, and a pattern that tries everything takes no time', () => {
  expect(() => ignores('a\n'.repeat(1001), 'a')).toThrow('ignore_file_too_large')
  expect(() => ignores('#'.repeat(129 * 1024), 'a')).toThrow('ignore_file_too_large')
  const startedAt = performance.now()
  expect(ignores(`${'*a'.repeat(200)}b`, 'a'.repeat(255))).toBe(false)
  expect(ignores(`${'**/a'.repeat(200)}b`, 'a/'.repeat(60))).toBe(false)
  expect(performance.now() - startedAt).toBeLessThan(2000)
})
