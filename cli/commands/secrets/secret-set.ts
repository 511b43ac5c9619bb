import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { writeSecretCommand } from '../../secrets/write-secret.ts'

export const secretSetCommand = (): Command =>
  writeSecretCommand({
    name: 'set',
    description: 'set the value of a secret slot, which has none yet',
    route: allRoutes.createSecret,
    did: 'is set',
  })
