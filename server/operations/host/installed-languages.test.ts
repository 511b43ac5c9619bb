import { expect, test } from 'vitest'
import { languagesIn, upstreamVersion } from './installed-languages.ts'

const status = `Package: python3
Status: install ok installed
Priority: optional
Description: interactive high-level object-oriented language
 Version: 9.9 in a text
Version: 3.13.5-1

Package: python3-minimal
Status: install ok installed
Version: 3.13.5-1

Package: nodejs
Status: deinstall ok config-files
Version: 20.19.2+dfsg-1

Package: openjdk-21-jre-headless
Status: install ok installed
Source: openjdk-21
Version: 21.0.9+10-1~deb13u1
`

test('languages are those of installed packages', () => {
  expect(languagesIn(status)).toEqual([
    { name: 'python', version: '3.13.5' },
    { name: 'java', version: '21.0.9+10' },
  ])
  expect(languagesIn('')).toEqual([])
})

test.each([
  ['3.11.2-1+b1', '3.11.2'],
  ['20.19.2+dfsg-1', '20.19.2'],
  ['1.19.8-2', '1.19.8'],
  ['2:1.24~2', '1.24~2'],
  ['4.5.0-3', '4.5.0'],
])('the upstream version of %s is %s', (version, upstream) => {
  expect(upstreamVersion(version)).toBe(upstream)
})
