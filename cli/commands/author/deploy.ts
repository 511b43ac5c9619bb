import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { departmentOf, departmentOption } from '../../args/department-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { type Deployed, deploy, hasChanged } from '../../deploy/deploy.ts'
import { nextStep } from '../../deploy/next-step.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { behindText, tasksBehind } from '../../push/tasks-behind.ts'
import { approvalsOfVersion, approvalsText } from '../../secrets/approvals-of-version.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  file: string
  department?: string
}

export const deployCommand = (): Command =>
  serviceCommand('deploy')
    .description('build the environment of a task file, publish the task, share it, and enable it in rooms')
    .argument('[dir]', 'folder of the task file', '.')
    .option('--file <file>', 'task file in it', 'task.yaml')
    .addOption(departmentOption())
    .addHelpText(
      'after',
      '\nThe task file says what to build in a section environment: name, folder (with the Dockerfile), profile and' +
        '\ndepartment. sandbox init writes such a file. Nothing is done twice: run it again after a change or a failure.',
    )
    .action((dir: string, options: Options) =>
      withSession(options, async (session) => {
        const path = join(dir, options.file)
        const deployed = await deploy(session, path, departmentOf(options))
        const { file, ...document } = deployed
        const { environment } = deployed
        const others =
          deployed.built && environment
            ? await tasksBehind(session, environment.environment.id, environment.version.id)
            : []
        const behind = others.filter(({ id }) => id !== deployed.task.id)
        const approvals = await approvalsOfVersion(session, deployed.version)
        const secrets = approvalsText(approvals, deployed)
        session.report.result(`${deployedText(deployed)}${secrets}${behindText(behind)}`, {
          event: 'deployed',
          ...document,
          ...(approvals && { approvals }),
          tasks_behind: behind,
        })
        if (deployed.published && deployed.version.version_number === 1)
          session.report.progress(nextStep(dirname(path), file))
      }),
    )

function deployedText(deployed: Deployed): string {
  const { task, version, environment } = deployed
  const on = environment
    ? ` on version ${environment.version.version_number} of ${escapeControls(environment.environment.name)}`
    : ''
  const what = `version ${version.version_number} of ${escapeControls(task.name)}${on}`
  if (!hasChanged(deployed)) return `Nothing has changed: ${what} is deployed (${version.id})\n`
  return `Deployed ${what} (${version.id})\n`
}
