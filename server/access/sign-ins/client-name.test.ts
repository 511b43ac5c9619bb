import { expect, test } from 'vitest'
import { clientName } from './client-name.ts'

const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

test.each([
  [chrome, 'Chrome on Linux'],
  [`${chrome} Edg/156.0.0.0`, 'Edge on Linux'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Windows'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari on iOS',
  ],
])('%s is %s', (userAgent, name) => {
  expect(clientName(userAgent)).toBe(name)
})

test('an unknown client is named by the start of what it says, as printable ASCII', () => {
  expect(clientName(`\u202etool\n<b>\u00e9${'x'.repeat(500)}`)).toBe(`tool <b> ${'x'.repeat(71)}`)
  expect(clientName()).toBe('')
})
