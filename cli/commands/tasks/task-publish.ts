import type { Command } from 'commander'
import { departmentOption } from '../../args/department-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { publishTask } from '../../publish/publish-task.ts'
import { ownedBy, readTaskFile } from '../../publish/read-task-file.ts'
import { findSchedules, scheduleTask } from '../../publish/schedule-task.ts'
import { enableTask, findShareTargets, shareTask } from '../../publish/share-task.ts'
import { approvalsOfVersion, approvalsText } from '../../secrets/approvals-of-version.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  file: string
  department?: string
}

export const taskPublishCommand = (): Command =>
  serviceCommand('publish')
    .description('publish a task from a file, share it, enable it in rooms and schedule it')
    .option('--file <file>', 'task file', 'task.yaml')
    .addOption(departmentOption())
    .addHelpText(
      'after',
      '\nPublishing the same content again creates no new version. Shares that the file does not name stay.' +
        '\ndocs/task-file.md lists its fields.',
    )
    .action((options: Options) =>
      withSession(options, async (session) => {
        const source = ownedBy(await readTaskFile(options.file), options.department)
        const targets = await findShareTargets(session, source.task)
        const schedules = await findSchedules(session, source)
        const published = await publishTask(session, source)
        await shareTask(session, targets, published)
        await enableTask(session, targets, published)
        await scheduleTask(session, schedules, published)
        const { task, version, changed } = published
        const lead = changed ? 'Published' : 'Nothing has changed:'
        const text = `${lead} version ${version.version_number} of ${escapeControls(task.name)} (${version.id})\n`
        const approvals = await approvalsOfVersion(session, version)
        session.report.result(`${text}${approvalsText(approvals, published)}`, {
          task,
          version,
          changed,
          ...(approvals && { approvals }),
        })
      }),
    )
