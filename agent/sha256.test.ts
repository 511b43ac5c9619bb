import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const native = join(import.meta.dirname, 'native')
let folder: string
let program: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-test-sha256-'))
  program = join(folder, 'sha256-sum')
  const checked = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all']
  const sources = ['sha256-sum/sha256-sum.c', 'common/sha256.c']
  execFileSync('/usr/bin/cc', ['-O1', '-g', '-std=gnu11', ...checked, '-I.', '-o', program, ...sources], {
    cwd: native,
  })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Around the sizes of a block and of its padding. */
const sizes = [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 100_003]

it.each(['plain', 'fast'])(
  'the %s digest is that of the standard library, however the bytes arrive',
  (way) => {
    for (const size of sizes) {
      const input = Buffer.from(Array.from({ length: size }, (_, at) => (at * 7919) >> 3))
      const expected = createHash('sha256').update(input).digest('hex')
      for (const piece of [1, 63, 64, 4096]) {
        if (piece === 1 && size > 1000) continue
        const found = execFileSync(program, [way, String(piece)], { input }).toString()
        expect({ size, piece, found }).toEqual({ size, piece, found: expected })
      }
    }
  },
)
