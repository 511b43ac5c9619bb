import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ProxyMirror, redirectWithin, targetOf } from './mirror-target.ts'

const mirror: ProxyMirror = {
  kind: 'npm',
  name: 'npm',
  url: 'http://mirror.test/repo',
  addresses: ['127.0.0.1'],
}

/** The path that the proxy would send; undefined where it refuses. */
function sent(path: string): string | undefined {
  try {
    return targetOf(path, [mirror]).path
  } catch {
    return undefined
  }
}

function redirected(location: string): string | undefined {
  try {
    return redirectWithin(mirror, { location, path: '/repo/a/b' })
  } catch {
    return undefined
  }
}

const bytes = (path: string) =>
  path.replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(parseInt(digits, 16)))
const withoutParameters = (path: string) => path.replace(/;[^/]*/g, '')
const cutAtControls = (path: string) => path.replace(/\p{Cc}[^/]*/gu, '')
const segments = (path: string, change: (segment: string) => string) => path.split('/').map(change).join('/')

/** How servers find the file that a path names. */
const readings: Record<string, (path: string) => string> = {
  plain: (path) => path,
  decoded: bytes,
  'decoded twice': (path) => bytes(bytes(path)),
  'servlet, parameters cut before decoding': (path) => bytes(withoutParameters(path)),
  'servlet, parameters cut after decoding': (path) => withoutParameters(bytes(path)),
  'servlet behind a decoding proxy': (path) => withoutParameters(bytes(bytes(path))),
  'merged slashes': (path) => bytes(path).replace(/\/+/g, '/'),
  backslashes: (path) => bytes(path).replaceAll('\\', '/'),
  'Windows, dots and spaces at the end dropped': (path) =>
    segments(bytes(path).replaceAll('\\', '/'), (each) => (/^[. ]{2,}$/.test(each) ? '..' : each.trim())),
  'Windows, %u escapes': (path) =>
    path.replace(/%u([0-9a-f]{4})/gi, (_, digits) => String.fromCharCode(parseInt(digits, 16))),
  'C strings': (path) => cutAtControls(bytes(path)),
  'cut at an encoded query': (path) => segments(bytes(path), (each) => each.replace(/[?#].*/, '')),
  'overlong UTF-8': (path) => bytes(path.replace(/%c0%ae/gi, '.').replace(/%c0%af/gi, '/')),
  'similar characters': (path) => Buffer.from(bytes(path), 'latin1').toString('utf8').normalize('NFKC'),
  'overlong, before another decoding': (path) => bytes(bytes(path.replace(/%c0%ae/gi, '%2e'))),
}

const dots = [
  ...['.', '..', '...', '%2e', '%2e%2e', '.%2e', '%2E.', '%252e%252e', '%25%32%65.', '%u002e%u002e'],
  ...['%c0%ae%c0%ae', '%ef%bc%8e%ef%bc%8e', '%e2%80%a5', '%20..', '..%', '%%32%65.'],
]
const ends = [
  ...[
    '',
    ';',
    ';x=1',
    '%3b',
    '%3B%2f',
    '%253b',
    '%09',
    '%0a',
    '%00',
    '%7f',
    '%20',
    '.',
    '%3f',
    '%23',
    '::$DATA',
  ],
  ...['\\', '%5c', '%255c', '\t', '\x7f', '%85', '%a0'],
]
const slashes = ['/', '//', '%2f', '%2F', '\\', '%5c', '%252f', '%c0%af', '/;/', '/%20/']

const spellings = dots.flatMap((dot) =>
  ends.flatMap((end) =>
    slashes.flatMap((slash) => [1, 2].map((times) => `${dot}${end}${slash}`.repeat(times))),
  ),
)

/** Whether a server that resolves dots as file systems do stays in the folder. */
const isBelow = (path: string) => `${posix.normalize(path.split('?')[0] ?? '')}/`.startsWith('/repo/')

describe('no spelling of a path leaves the folder in any reading', () => {
  const passed = spellings.flatMap((each) => [
    ...[`/repo/${each}admin`, `/repo/a/${each}${each}admin`, `/repo/${each}`].map(sent),
    ...[`/repo/${each}admin`, `${each}${each}admin`, `http://mirror.test/repo/${each}admin`].map(redirected),
  ])

  test.each(Object.entries(readings))('%s', (_name, reading) => {
    // The table would prove nothing if the reading had no spelling that leaves.
    expect(spellings.some((each) => !isBelow(reading(`/repo/a/${each.repeat(2)}admin`)))).toBe(true)
    const outside = passed.filter((path) => path !== undefined && !isBelow(reading(path)))
    expect(outside).toEqual([])
  })
})

test.each([
  ...[
    '..;/admin',
    '..;x=1/admin',
    '.;/..;/admin',
    '..%3b/admin',
    '..%09/admin',
    'x;y',
    'x%3By',
    'a\\b',
    'a%5Cb',
  ],
  ...[
    'a/./b',
    'a/../b',
    'a%2f..%2fb',
    'x%0d',
    'x%7f',
    '..%23/x',
    '%c0%ae%c0%ae/x',
    '%ef%bc%8e%ef%bc%8e/x',
    'x%u002e',
  ],
])('%s is refused', (path) => {
  expect(sent(`/repo/${path}`)).toBe(undefined)
})

test.each(['..;/admin', '/repo/..;/admin', '/repo/x;y', '/repo/..%3b/', '/repo/..%09/', '/repo/x%5c'])(
  'a redirect to %s is not followed',
  (location) => {
    expect(redirected(location)).toBe(undefined)
  },
)

test.each([
  ...['@scope%2fname', '%40scope%2Fname', 'a%2bb.deb', 'a+b~1.deb', '.well-known/x', '%21azure/@v/list'],
  ...['@v/v1.0.0+incompatible.zip', 'x?a=..;/&b=%3b', '..data', 'a:b', "it's(1)"],
])('%s is passed on as it is', (path) => {
  expect(sent(`/repo/${path}`)).toBe(`/repo/${path}`)
})

test('a relative redirect within the folder is followed', () => {
  expect(redirected('../c?d')).toBe('/repo/c?d')
})
