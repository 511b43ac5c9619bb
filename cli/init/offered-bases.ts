import { createClient } from '@sandbox-jobs/contract/client/client.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { chooseConnection } from '../session/connection.ts'
import { credentialsPath, readCredentials } from '../session/credentials-file.ts'

/** A project is written without the service too, which may be away. */
const answerMaxMs = 3000

/**
 * Names of the base images that the operator of the service has made. Undefined without a login, and where the service does not
 * answer.
 */
export async function offeredBases(): Promise<string[] | undefined> {
  try {
    const { url, ...credentials } = chooseConnection(
      {},
      process.env,
      await readCredentials(credentialsPath()),
    )
    if (Object.keys(credentials).length === 0) return undefined
    const client = createClient({ baseUrl: url, ...credentials })
    const { items } = await client.call(allRoutes.listBaseImages, {
      signal: AbortSignal.timeout(answerMaxMs),
    })
    return items.map(({ name }) => name)
  } catch {
    return undefined
  }
}
