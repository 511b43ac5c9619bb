import { expect, it } from 'vitest'
import { compareRpmVersions } from './rpm-version.ts'

it.each([
  ['1.0', '1.0', 0],
  ['1.0', '1.0.1', -1],
  ['1.0.1', '1.0.a', 1],
  ['2.0.1a', '2.0.1', 1],
  ['5.5p1', '5.5p10', -1],
  ['10xyz', '10.1xyz', -1],
  ['xyz10', 'xyz10.1', -1],
  ['6.0', '6.0.rc1', -1],
  ['10b2', '10a1', 1],
  ['1.0~rc1', '1.0', -1],
  ['1.0~rc1', '1.0~rc2', -1],
  ['1.0^', '1.0', 1],
  ['1.0^git1', '1.0.1', -1],
  ['1.0^git1~pre', '1.0^git1', -1],
  ['2_0', '2.0', 0],
  ['1.010', '1.10', 0],
  ['99999999999999999999', '99999999999999999998', 1],
  ['1:1.0-1', '2.0-1', 1],
  ['0:1.0-1', '1.0-1', 0],
  ['7.76.1-14.el9_1.2', '0:7.76.1-14.el9_1.5', -1],
  ['7.76.1-19.el9', '7.76.1', 0],
])('%s and %s compare as in rpm', (a, b, order) => {
  expect(Math.sign(compareRpmVersions(a, b))).toBe(order)
  expect(Math.sign(compareRpmVersions(b, a))).toBe(0 - order)
})
