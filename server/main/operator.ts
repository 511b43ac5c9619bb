import { parseArgs } from 'node:util'
import { systemClock } from '../base/clock.ts'
import { listenAddress } from '../base/config/listen-address.ts'
import { awaitSchema } from '../db/await-schema.ts'
import { connect } from '../db/database.ts'
import { createOperatorApp } from './operator-app.ts'
import { runRole } from './run-role.ts'
import { checkCanListen } from './supervisor/processes/listen-check.ts'
import { exitCodes, ServiceProblem } from './supervisor/service-problem.ts'

const { values } = parseArgs({ options: { packed: { type: 'string' } } })

/**
 * The process of the operator console. It listens on loopback alone, reads counts and ages under a database role of its own, and has
 * no key, no object and no socket of the host agent.
 */
await runRole('operator', async (config, log) => {
  const { databaseUrl, operatorListen: listen } = config
  if (listen === undefined)
    throw new ServiceProblem(exitCodes.configuration, 'the operator console needs SANDBOX_OPERATOR_LISTEN')
  const db = connect(databaseUrl, { poolSize: 2, log, name: 'operator' })
  await awaitSchema(db, log)
  const app = createOperatorApp({ db, log, clock: systemClock, config, listen, packedFolder: values.packed })
  const address = listenAddress(listen)
  await checkCanListen({ ...address, settings: 'SANDBOX_OPERATOR_LISTEN' })
  await app.listen(address)
  app.server.on('error', (error) => log.error({ err: error }, 'a connection was not accepted'))
  log.info({ listen }, 'listening')
  return {
    stop: async () => {
      await app.close()
      await db.destroy()
    },
  }
})
