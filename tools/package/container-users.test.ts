import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { accountSettings } from '../../server/base/config/account-settings.ts'
import { readConfig } from '../../server/base/config/config.ts'

test('each system user of the service has an id of its own in the container image', () => {
  const dockerfile = readFileSync(resolve(import.meta.dirname, '../../install/container/Dockerfile'), 'utf8')
  const users = [...dockerfile.matchAll(/"(-[a-z]+)?:(9\d\d)"/g)]
  const config = readConfig({})
  const names = Object.keys(accountSettings) as (keyof typeof accountSettings)[]
  expect(users.map(([, suffix = '']) => `sandbox-jobs${suffix}`).toSorted()).toEqual(
    names.map((name) => config[name]).toSorted(),
  )
  expect(new Set(users.map(([, , id]) => id)).size).toBe(users.length)
})
