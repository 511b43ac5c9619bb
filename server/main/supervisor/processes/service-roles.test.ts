import { expect, test } from 'vitest'
import { readConfig } from '../../../base/config/config.ts'
import { roleEnvironment } from './service-roles.ts'

test('a role gets the configuration that the supervisor read', () => {
  const config = readConfig({
    SANDBOX_DATA: '/var/lib/x',
    SANDBOX_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7/32',
    SANDBOX_REMEDIATION_DAYS: 'critical=7, high=30',
  })
  const { NODE_COMPILE_CACHE: _, TZ: __, ...environment } = roleEnvironment(config, undefined, '/compiled')
  expect(readConfig(environment)).toEqual(config)
})
