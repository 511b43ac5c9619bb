import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { keysFolder, openKeys } from '../../base/keys/keys.ts'
import { readMacToken, writeMacToken } from './mac-token.ts'

const folder = mkdtempSync(join(tmpdir(), 'sandbox-mac-token-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('reads a token from before a rotation of the root key until the former one is retired', () => {
  const keys = openKeys(keysFolder(folder))
  const oauth = keys.derive('oauth')
  const token = writeMacToken(oauth, 'mcpclient', { name: 'a client' })
  keys.rotateRoot()
  const next = writeMacToken(oauth, 'mcpclient', { name: 'a client' })
  expect(next).not.toBe(token)
  expect(readMacToken(oauth, 'mcpclient', token)).toEqual({ name: 'a client' })
  keys.root.retire()
  expect(readMacToken(oauth, 'mcpclient', token)).toBeUndefined()
  expect(readMacToken(oauth, 'mcpclient', next)).toEqual({ name: 'a client' })
  expect(readMacToken(oauth, 'mcprefresh', next)).toBeUndefined()
})
