import { describe, expect, it } from 'vitest'
import { sourcesOf } from './debian.ts'

const indexes = `Debian|bookworm|http://mirror.example/debian/
Debian|bookworm|http://mirror.example/debian/
Debian|bookworm-updates|http://mirror.example/debian/
Debian|bookworm-security|http://other.example/debian-security/
Google Cloud|cloud-sdk-bookworm|https://packages.example/apt/
`

describe('the sources of another release', () => {
  it('are on the mirrors of this machine, each once', () => {
    expect(sourcesOf('trixie', indexes)).toEqual([
      'deb http://mirror.example/debian/ trixie main',
      'deb http://mirror.example/debian/ trixie-updates main',
      'deb http://other.example/debian-security/ trixie-security main',
    ])
  })

  it.each([
    ['another system', 'Ubuntu|noble|http://mirror.example/ubuntu/\n'],
    ['updates only', 'Debian|bookworm-updates|http://mirror.example/debian/\n'],
    ['nothing', ''],
  ])("are Debian's own servers on a machine with mirrors of %s", (_name, text) => {
    expect(sourcesOf('trixie', text)).toEqual([])
  })
})
