import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { protectionsOf } from './elf.ts'
import { builtFolder } from './manifest.ts'
import { nativePrograms } from './programs.ts'

const built = (name: string) => readFileSync(join(builtFolder, name))

test.each(Object.entries(nativePrograms))('%s is loaded with every protection', (name) => {
  expect(protectionsOf(built(name))).toEqual({
    isPositionIndependent: true,
    isStatic: true,
    hasRelro: true,
    bindsNow: true,
    hasPlainStack: true,
    hasWritableCode: false,
  })
})

test.each(['shim', 'resolver', 'unpack', 'links', 'reader-start', 'pod-init', 'collector'])(
  '%s checks its stack and its sizes',
  (name) => {
    const symbols = built(name).toString('latin1').split('\0')
    expect(symbols).toContain('__stack_chk_fail')
    expect(symbols.some((symbol) => /^__(snprintf|strcpy|memcpy|read|recv)_chk$/.test(symbol))).toBe(true)
  },
)

test('a missing protection is detected', () => {
  const file = built('unpack')
  const programHeaders = Number(file.readBigUInt64LE(32))
  const size = file.readUInt16LE(54)
  for (let index = 0; index < file.readUInt16LE(56); index += 1) {
    const at = programHeaders + index * size
    if (file.readUInt32LE(at) === 0x6474e551) file.writeUInt32LE(7, at + 4)
    if (file.readUInt32LE(at) === 0x6474e552) file.writeUInt32LE(0, at)
  }
  expect(protectionsOf(file)).toMatchObject({ hasPlainStack: false, hasRelro: false })
})
