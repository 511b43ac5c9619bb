import { join } from 'node:path'
import { packClient } from '../server/main/pack-client.ts'

/** `node tools/write-client-package.ts FILE.tgz`: writes the npm package of the typed client, which the service serves. */
const [, , file = ''] = process.argv
if (file === '') {
  console.error('usage: node tools/write-client-package.ts FILE.tgz')
  process.exit(2)
}
await packClient(join(import.meta.dirname, '..'), file)
