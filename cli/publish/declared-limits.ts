import type { EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import type { OutputPolicy } from '@sandbox-jobs/contract/resources/runs/output-policy.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError, exitCodes } from '../failure.ts'
import { findRoom } from '../lookup/find-room.ts'
import { findTable } from '../lookup/find-table.ts'
import { allowListOf } from '../network/allow-list.ts'
import type { Session } from '../session/session.ts'
import type { BuildSection, NetworkField, OutputPolicyField, TaskFile } from './task-file.ts'

/** Sets what runs of a task may reach, if the file says it and it differs. */
export async function limitTask(
  { client, report }: Session,
  id: string,
  { network }: TaskFile,
): Promise<void> {
  if (network === undefined) return
  const allow_list = listOf(network)
  const { allow_list: present } = await client.call(allRoutes.readTaskEgress, { params: { id } })
  if (isSame(present, allow_list)) return
  await client.call(allRoutes.changeTaskEgress, { params: { id }, body: { allow_list } })
  report.progress('set what runs of the task may reach')
}

/** The same for an environment, and the isolation of one of its versions. */
export async function limitEnvironment(
  { client, report }: Session,
  version: EnvironmentVersion,
  { network, isolation }: BuildSection,
): Promise<void> {
  const id = version.environment_id
  if (network !== undefined) {
    const allow_list = listOf(network)
    const { allow_list: present } = await client.call(allRoutes.readEnvironmentEgress, { params: { id } })
    if (!isSame(present, allow_list)) {
      await client.call(allRoutes.changeEnvironmentEgress, { params: { id }, body: { allow_list } })
      report.progress('set what runs of the environment may reach')
    }
  }
  if (isolation === undefined) return
  const params = { id, vid: version.id }
  const present = await client.call(allRoutes.readVersionIsolation, { params })
  if (present.isolation === isolation) return
  await client.call(allRoutes.changeVersionIsolation, { params, body: { isolation } })
  report.progress(`set the isolation of its runs to ${isolation}`)
}

const listOf = (network: NetworkField): EgressAllowList | null =>
  network === 'everything' ? null : allowListOf(network === 'nothing' ? [] : network)

/** In any order. */
function isSame(one: EgressAllowList | null, other: EgressAllowList | null): boolean {
  const sorted = (list: EgressAllowList | null) =>
    JSON.stringify(list && [list.domains.toSorted(), list.cidrs.toSorted()])
  return sorted(one) === sorted(other)
}

/** The output policy with ids for the names of the file. */
export async function policyOf(
  session: Session,
  field: OutputPolicyField | undefined,
): Promise<OutputPolicy | null> {
  if (field === undefined) return null
  if (field.kind === 'custom_table_writeback') {
    const { table, allowed_ops = 'create' } = field
    if (table === undefined) throw lacks('table')
    return { kind: field.kind, table_id: (await findTable(session, table)).id, allowed_ops }
  }
  const { command_id, room, input_schema } = field
  if (command_id === undefined) throw lacks('command_id')
  if (room === undefined) throw lacks('room')
  if (input_schema === undefined) throw lacks('input_schema')
  return { kind: field.kind, command_id, chatroom_id: await findRoom(session, room), input_schema }
}

const lacks = (name: string) =>
  new CliError(`output_policy.${name} is missing in the task file.`, {
    hint: 'docs/task-file.md says what each kind of output policy needs.',
    code: 'cli_task_file',
    exitCode: exitCodes.usage,
  })
