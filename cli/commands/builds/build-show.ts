import type { BuildAttempt } from '@sandbox-jobs/contract/resources/builds/build-attempt.ts'
import type { BuildDetails } from '@sandbox-jobs/contract/resources/builds/build-details.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { buildArgument, findBuild } from '../../lookup/find-build.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { instructionText } from '../../output/instruction-text.ts'
import { networkText } from '../../output/network-text.ts'
import { durationText } from '../../output/sizes.ts'
import { stageText } from '../../output/stage-text.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  env?: string
}

export const buildShowCommand = (): Command =>
  serviceCommand('show')
    .description('show the stages of a build with their times, and the failure')
    .argument('<build>', buildArgument)
    .option('--env <environment>', 'environment, by name or id (default: search all)')
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        const params = await findBuild(session, wanted, options.env)
        const build = await session.client.call(allRoutes.readBuild, { params })
        const details = await session.client.call(allRoutes.readBuildDetails, { params })
        session.report.result(render(build, details), { build, details })
      }),
    )

function render(build: BuildAttempt, details: BuildDetails): string {
  const { queued_at: queued, started_at: started, failed_instruction: failed } = details
  const waited = started === null ? '' : ` (waited ${between(queued, started)})`
  const lines = [
    `build    ${build.id}, attempt ${build.attempt_number} of ${build.environment_version_id}`,
    `status   ${build.status}${build.error_code && `: ${[build.error_code, build.error_detail].join(' ')}`}`,
    `queued   ${queued}${waited}`,
    ...(failed ? [`failed   ${escapeControls(instructionText(failed))}`] : []),
    ...(details.network ? [networkText(details.network)] : []),
    ...(build.next_action ? [`next     ${build.next_action}`] : []),
  ]
  return `${lines.join('\n')}\n${stageText(details.stages)}`
}

const between = (from: string, to: string): string => durationText(Date.parse(to) - Date.parse(from))
