import type { Proposal } from '@sandbox-jobs/contract/resources/agents/proposal.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { escapeControls, escapeLines } from '../../output/escape-controls.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'

export const proposalsListCommand = (): Command =>
  serviceCommand('list')
    .description('list the jobs that agents proposed and that wait for your confirmation')
    .action((options: ConnectionOptions) =>
      withSession(options, async ({ client, report }) => {
        const { items } = await client.call(allRoutes.listProposals)
        const rows = items.map(({ id, chatroom_id, task_id, expires_at }) => [
          id,
          chatroom_id,
          task_id,
          expires_at,
        ])
        const text =
          rows.length === 0
            ? 'No job waits for your confirmation.\n'
            : table(['ID', 'ROOM', 'TASK', 'EXPIRES'], rows)
        report.result(text, { items })
      }),
    )

export const proposalsShowCommand = (): Command =>
  oneProposal(
    'show',
    'show what a proposed job runs, with its exact input',
    async ({ client, report }, pid) => {
      const proposal = await client.call(allRoutes.readProposal, { params: { pid } })
      report.result(`${stateLine(proposal)}${escapeLines(proposal.summary)}\n`, proposal)
    },
  )

export const proposalsConfirmCommand = (): Command =>
  oneProposal(
    'confirm',
    'confirm a proposed job: posts a message of you in its room and queues the run',
    async (session, pid) => {
      const proposal = await session.client.call(allRoutes.confirmProposal, { params: { pid } })
      session.report.result(stateLine(proposal), proposal)
    },
  )

export const proposalsRejectCommand = (): Command =>
  oneProposal('reject', 'reject a proposed job', async (session, pid) => {
    const proposal = await session.client.call(allRoutes.rejectProposal, { params: { pid } })
    session.report.result(stateLine(proposal), proposal)
  })

const oneProposal = (
  name: string,
  description: string,
  act: (session: Session, pid: string) => Promise<void>,
): Command =>
  serviceCommand(name)
    .description(description)
    .argument('<proposal>', 'id of the proposal')
    .action((pid: string, options: ConnectionOptions) => withSession(options, (session) => act(session, pid)))

function stateLine({ id, state, run_id, expires_at }: Proposal): string {
  const line =
    state === 'prepared'
      ? `${id} waits for your confirmation until ${expires_at}.`
      : `${id} is ${state}.${run_id === null ? '' : ` Its run is ${run_id}.`}`
  return `${escapeControls(line)}\n`
}
