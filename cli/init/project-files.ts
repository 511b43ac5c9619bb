import { taskFileSchemaPath } from '@sandbox-jobs/contract/task-file/json-schema.ts'
import { stringify } from 'yaml'
import { shellWord } from '../output/shell-word.ts'
import { type TemplateName, templates } from './templates.ts'

export interface Project {
  template: TemplateName
  /** Name of the task and of its environment. */
  name: string
  /** Rooms, by name or id, in which it is shared and enabled. */
  rooms: string[]
  /** Address of the service, which has the schema of the task file for editors. */
  url: string
}

/** The files of a new project, by path. */
export function projectFiles(project: Project): Record<string, string> {
  const { dockerfile, files, workScript } = templates[project.template]
  const ofImage = Object.entries({ Dockerfile: dockerfile, ...files })
  return {
    ...Object.fromEntries(ofImage.map(([name, text]) => [pathOf(name), text])),
    'work.sh': workScript,
    'input.json': '{ "text": "one two three" }\n',
    'task.yaml': taskFile(project),
    'README.md': readme(project),
  }
}

/** `../` leads out of the folder of the image into that of the project. */
const pathOf = (name: string): string => (name.startsWith('../') ? name.slice(3) : `image/${name}`)

const plainPattern = String.raw`, pattern: '^[^"\\\x00-\x1f]*$'`

function taskFile({ template, name, rooms, url }: Project): string {
  const { plainText } = templates[template]
  const named = stringify({ name }).trimEnd()
  const shared =
    rooms.length === 0
      ? '# share: { rooms: [NAME] }\n# enable: [NAME]\n'
      : `${stringify({ share: { rooms } })}${stringify({ enable: rooms })}`
  return `# yaml-language-server: $schema=${url}${taskFileSchemaPath}
# Deployed with: sandbox deploy
# Files are named relative to this one.
${named}
description: Counts the words of a text.
environment:
  ${named}
  folder: image
work_script: work.sh
timeout_seconds: 60

# Schema of the input; anything else is refused before a run exists.
input_schema:
  type: object
  required: [text]
  additionalProperties: false
  properties:
    text: { type: string, maxLength: 10000${plainText ? plainPattern : ''} }
input_example: input.json

# Rooms that may use it, and rooms that have it in their menu.
${shared}`
}

function readme({ template, name, rooms }: Project): string {
  const { base, prepare } = templates[template]
  const room = rooms[0] ?? 'ROOM'
  const needs = base
    ? `The image stands on \`${base.name}\`; if it is missing, its operator runs \`sandbox operator base-image add --preset ${base.preset}\`.`
    : 'The image needs no base image.'
  const first = prepare === undefined ? '' : `Before that: \`${prepare}\`. `
  return `# ${name}

Counts the words of a text. \`image/\` is the environment, \`work.sh\` starts the program, \`task.yaml\` describes the task.
${needs}

${first}\`sandbox deploy\` builds, publishes and enables it${rooms.length === 0 ? ' (name a room in `task.yaml`)' : ''}; again after each change.
\`sandbox run ${shellWord(name)} --room ${shellWord(room)} --input input.json --watch\` runs it and prints its output.

A run reads its input from the file in \`SERVICE_INPUTS_FILE\`, writes its output to the one in \`SERVICE_OUTPUT_FILE\`,
and leaves further files in the folder in \`SERVICE_ARTIFACTS_DIR\`.
`
}
