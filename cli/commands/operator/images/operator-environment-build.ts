import {
  type CuratedBuild,
  readCuratedBuildOf,
} from '@sandbox-jobs/server/main/operator/images/operator-curated.ts'
import { Command } from 'commander'
import { CliError } from '../../../failure.ts'
import { escapeControls, escapeLines } from '../../../output/escape-controls.ts'
import { instructionText } from '../../../output/instruction-text.ts'
import { networkText } from '../../../output/network-text.ts'
import { reportText } from '../../../output/report-text.ts'
import { stageText } from '../../../output/stage-text.ts'
import { withLocalService } from '../../../session/local-service.ts'

export const operatorEnvironmentBuildCommand = (): Command =>
  new Command('build')
    .description('show the last build of a curated version: its result, log and scan report')
    .argument('<version>', 'id of a version of a curated environment (ver_…)')
    .option('--json', 'print one JSON document')
    .action((version: string, options: { json?: boolean }) =>
      withLocalService(
        options,
        () => readCuratedBuildOf(version),
        (build) => {
          if (build) return { text: render(build), document: { ...build } }
          throw new CliError('No curated environment has that version.', {
            hint: 'sandbox operator environment publish prints the id; builds of companies are read by sandbox build show.',
            code: 'cli_version_unknown',
          })
        },
      ),
    )

function render({ failed_instruction: failed, network, report, log, ...build }: CuratedBuild): string {
  const reason = build.error_code && `: ${[build.error_code, build.error_detail].join(' ')}`
  const lines = [
    `build    ${build.build_id} of ${build.environment_version_id}, version ${build.version_number}`,
    `status   ${build.status}${reason}`,
    ...(failed ? [`failed   ${escapeControls(instructionText(failed))}`] : []),
    ...(network ? [networkText(network)] : []),
  ]
  const parts = [
    `${lines.join('\n')}\n${stageText(build.stages)}`,
    ...(log === null ? [] : [escapeLines(log)]),
    ...(report === null ? [] : [reportText(report)]),
  ]
  return parts.join('\n')
}
