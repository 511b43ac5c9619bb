import { lstat, mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { CliError, exitCodes } from '../../failure.ts'
import { offeredBases } from '../../init/offered-bases.ts'
import { projectFiles } from '../../init/project-files.ts'
import { type TemplateName, templateNames, templates } from '../../init/templates.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { createReporter } from '../../output/reporter.ts'
import { chooseConnection } from '../../session/connection.ts'
import { credentialsPath, readCredentials } from '../../session/credentials-file.ts'
import { onThisMachine } from '../../session/on-this-machine.ts'

interface Options {
  template: TemplateName
  name?: string
  room?: string[]
  json?: boolean
}

const lines = templateNames.map((name) => `  ${name.padEnd(8)} ${templates[name].description}`)

export const initCommand = (): Command =>
  new Command('init')
    .description('write a small project: image, task file, script, input and README')
    .argument('[dir]', 'folder of the project; created if it does not exist', '.')
    .addOption(
      new Option('--template <template>', 'language of the program')
        .choices(templateNames)
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'name of the task and its environment (default: that of the folder)')
    .option('--room <room...>', 'rooms in which it is shared and enabled')
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nTemplates:\n${lines.join('\n')}\n\nNo file is overwritten.`)
    .action((dir: string, options: Options) =>
      onThisMachine(createReporter(options.json === true), () => init(dir, options), {
        render: ({ folder, files, next }) => ({
          text: `Wrote ${files.length} files to ${escapeControls(folder)}.\nNext:\n${next.map((line) => `  ${escapeControls(line)}\n`).join('')}`,
          document: { folder, files, next },
        }),
        explain: ({ error }: { ok: false; error: CliError }) => error,
      }),
    )

async function init(dir: string, { template, name, room = [] }: Options) {
  const folder = resolve(dir)
  const { url } = chooseConnection({}, process.env, await readCredentials(credentialsPath()))
  const files = projectFiles({ template, name: name ?? basename(folder), rooms: room, url })
  const paths = Object.keys(files)
  const taken = []
  for (const path of paths) if (await exists(join(folder, path))) taken.push(path)
  if (taken.length > 0) return { ok: false as const, error: notEmpty(folder, taken) }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text, { flag: 'wx' })
  }
  const next = nextSteps(dir, template, templates[template].base && (await offeredBases()))
  return { ok: true as const, value: { folder, files: paths, next } }
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

const notEmpty = (folder: string, taken: string[]) =>
  new CliError(`${escapeControls(folder)} already has ${taken.join(', ')}.`, {
    hint: 'Name another folder, or move these files; nothing was written.',
    code: 'cli_init',
    exitCode: exitCodes.usage,
  })

/** `offered`: base images of the service, if it was asked. */
function nextSteps(dir: string, template: TemplateName, offered: string[] | undefined): string[] {
  const { base, prepare } = templates[template]
  return [
    ...(dir === '.' ? [] : [`cd ${dir}`]),
    ...(prepare === undefined ? [] : [prepare]),
    ...(base && !offered?.includes(base.name)
      ? [`sudo sandbox operator base-image add --preset ${base.preset}   # ${whyNeeded(base.name, offered)}`]
      : []),
    'sandbox deploy',
  ]
}

function whyNeeded(name: string, offered: string[] | undefined): string {
  if (!offered) return `if the service has no ${name}; sandbox bases lists what it has`
  const others = offered.length === 0 ? 'none' : offered.map((other) => escapeControls(other)).join(', ')
  return `the service has no ${name}; it has: ${others}`
}
