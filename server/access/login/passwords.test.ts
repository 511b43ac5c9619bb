import { describe, expect, it } from 'vitest'
import { hashPassword, verifyPassword } from './passwords.ts'

describe('passwords', () => {
  it('verifies the password that was hashed and no other', async () => {
    const stored = await hashPassword('correct horse battery')
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await verifyPassword('correct horse battery', stored)).toBe(true)
    expect(await verifyPassword('correct horse batterY', stored)).toBe(false)
  })

  it('never accepts a password without a stored hash', async () => {
    expect(await verifyPassword('anything', undefined)).toBe(false)
  })

  it('hashes the same password to a different text each time', async () => {
    expect(await hashPassword('same password')).not.toBe(await hashPassword('same password'))
  })
})
