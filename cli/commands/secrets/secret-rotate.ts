import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { writeSecretCommand } from '../../secrets/write-secret.ts'

export const secretRotateCommand = (): Command =>
  writeSecretCommand({
    name: 'rotate',
    description: 'replace the value of a secret slot',
    route: allRoutes.rotateSecret,
    did: 'is rotated',
  })
