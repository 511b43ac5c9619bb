import { describe, expect, it } from 'vitest'
import { withoutLinks } from './mail-text.ts'

describe('names in an e-mail', () => {
  it.each([
    ['see https://evil.test/x', 'see https[:]//evil[.]test/x'],
    ['www.evil.test', 'www[.]evil[.]test'],
    ['evil.com: completed', 'evil[.]com: completed'],
    ['b\u00fccher.example', 'b\u00fccher[.]example'],
    ['evil\u3002example', 'evil[.]example'],
    ['write to eve@evil.test', 'write to eve[@]evil[.]test'],
    ['mailto:eve', 'mailto[:]eve'],
    ['javascript:alert(1)', 'javascript[:]alert(1)'],
    ['10.0.0.1.nip.io', '10.0.0.1[.]nip[.]io'],
  ])('%s is no link', (name, shown) => expect(withoutLinks(name)).toBe(shown))

  it.each(['Report: completed', 'Version 1.2', 'Half an hour... done', 'a @ b'])('%s stays', (name) =>
    expect(withoutLinks(name)).toBe(name),
  )
})
