import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { endLog, startLog } from './build-log.ts'

/** The lines of a builder's output that the script passes on. */
function passed(printing: string): string {
  const script = `set -eu; cd "$(mktemp -d)"; ${startLog} ( ${printing} ) >&3 2>&3 || true; ${endLog} echo after; rm -r "$PWD"`
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', maxBuffer: 8 * 1024 ** 2 })
}

it('passes on what steps print, in order and as it is', () => {
  expect(passed(`printf 'a\\nb'; echo c >&2; printf '\\r1%%\\r2%%'; printf ' STEP 1/2: x\\nend'`)).toBe(
    'a\nbc\n\r1%\r2% STEP 1/2: x\nendafter\n',
  )
  expect(passed('true')).toBe('after\n')
})

it("leaves out the platform's own steps, and no step that only looks like one inside a line", () => {
  const check = 'RUN --mount=type=bind,from=.check,target=/x ["a"]'
  const lines = [
    `STEP 1/3: ${check}`,
    `[2/3] STEP 12/13: ${check}`,
    `x STEP 1/3: ${check}`,
    `STEP 2/3: RUN --mount=type=bind,from=xcheck,target=/x`,
    `Error: building at STEP "${check}": exit status 1`,
    'Error: building at STEP "RUN false": exit status 1',
  ]
  expect(passed(`cat <<'END'\n${lines.join('\n')}\nEND\n`)).toBe(
    `${[lines[2], lines[3], lines[5]].join('\n')}\nafter\n`,
  )
})

it('shortens an error of the builder, and explains an owner that a sandbox does not have', () => {
  const structure = `copier.request{Request:"PUT", Options:copier.PutOptions{Map:[]x{}, Y:(*z)(nil)}, All:false}}`
  const error = `Error: building at STEP "ADD p.tgz /": storing "/c/p.tgz": error during bulk transfer for ${structure}: copier: put: error setting ownership of "/i" to 1447526485:1: lchown /i: invalid argument`
  expect(passed(`echo '${error}'`)).toBe(
    `Error: building at STEP "ADD p.tgz /": storing "/c/p.tgz": copier: put: error setting ownership of "/i" to 1447526485:1: lchown /i: invalid argument
A sandbox has the owners 0 to 65535, and a file of an archive belongs to another one. Unpack it in a RUN step with tar --no-same-owner, or pack it with tar --owner=0 --group=0.
after
`,
  )
  const printed = passed(
    `printf 'tar: a: Cannot change ownership to uid 99999999, gid 0: Invalid argument\\nmore'`,
  )
  expect(printed).toMatch(/^tar: .*\nmore\n?A sandbox has the owners/)
})

it('is not held up by a process that a step left, and passes on any length', () => {
  const startedAt = performance.now()
  expect(passed('echo early; (exec sleep 300) &')).toBe('early\nafter\n')
  expect(performance.now() - startedAt).toBeLessThan(200_000)
  expect(passed(`head -c 3000000 /dev/zero | tr '\\0' S`)).toHaveLength(3_000_000 + 'after\n'.length)
})
