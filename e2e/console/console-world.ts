import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { checkout, type Service } from '../main-job/service.ts'
import { build, exampleFile, logIn, publish, type Tenant } from '../main-job/tenant.ts'

/** A company with a job that people run in the console. */
export interface ConsoleWorld {
  service: Service
  tenant: Tenant
  environmentVersion: string
  /** The version, the name and the task of the job. */
  version: string
  job: string
  taskId: string
}

/** `name` is that of environment and job, unless it does not matter. */
export async function makeConsoleWorld(service: Service, name?: string): Promise<ConsoleWorld> {
  const tenant = await logIn(service)
  const { vid: environmentVersion, attempt } = await build(
    tenant,
    join(checkout, 'examples/sales-report'),
    name,
  )
  if (attempt.status !== 'completed') throw new Error(`the example is not built: ${JSON.stringify(attempt)}`)
  const version = await publish(tenant, {
    ...(name !== undefined && { name }),
    environmentVersion,
    workScript: await exampleFile('work.sh'),
    inputSchema: await exampleFile('input.schema.json'),
  })
  const { items } = await tenant.client.call(allRoutes.readMenu, { params: { cid: tenant.room } })
  const item = items.find(({ task_version_id }) => task_version_id === version)
  return {
    service,
    tenant,
    environmentVersion,
    version,
    job: item?.task_name ?? '',
    taskId: item?.task_id ?? '',
  }
}
