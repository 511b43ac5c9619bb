import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareDebianVersions } from './debian-version.ts'

/** Result of dpkg for each pair, from one shell. */
function dpkgOrder(pairs: [string, string][]): number[] {
  const script = `while read -r a b; do
    if dpkg --compare-versions "$a" lt "$b"; then echo -1; elif dpkg --compare-versions "$a" eq "$b"; then echo 0; else echo 1; fi
  done`
  const input = pairs.map((pair) => `${pair.join(' ')}\n`).join('')
  return execFileSync('/bin/sh', ['-c', script], { input, encoding: 'utf8' }).trim().split('\n').map(Number)
}

const part = fc.stringMatching(/^[0-9][0-9a-zA-Z.+~]{0,7}$/)
const version = fc
  .tuple(fc.option(fc.nat({ max: 3 })), part, fc.option(fc.stringMatching(/^[0-9a-zA-Z.+~]{1,5}$/)))
  .map(
    ([epoch, upstream, revision]) =>
      (epoch === null ? '' : `${epoch}:`) + upstream + (revision === null ? '' : `-${revision}`),
  )

it('agrees with dpkg on difficult versions', () => {
  const known: [string, string][] = [
    ['1.0~rc1', '1.0'],
    ['1.0', '1.0+b1'],
    ['1.0-1', '1.0-1~bpo12+1'],
    ['2.36-9+deb12u4', '2.36-9+deb12u10'],
    ['1:1.0', '2.0'],
    ['0:1.0', '1.0'],
    ['1.0-0', '1.0'],
    ['1.00', '1.0'],
    ['1.0a', '1.0+'],
    ['1.0~~', '1.0~~a'],
    ['1.2.3-4-5', '1.2.3-4-6'],
    ['99999999999999999999', '99999999999999999998'],
  ]
  const similar = fc.sample(fc.tuple(version, version), { numRuns: 150, seed: 1 })
  const twins = fc
    .sample(fc.tuple(version, fc.stringMatching(/^[0-9a-z.+~-]{0,2}[0-9a-z.+~]$/)), { numRuns: 100, seed: 2 })
    .map(([base, end]): [string, string] => [base, base + end])
  const pairs = [...known, ...similar, ...twins]
  const ours = pairs.map(([a, b]) => Math.sign(compareDebianVersions(a, b)))
  expect(ours).toEqual(dpkgOrder(pairs))
})
