import type { Operation } from './api-document.ts'
import type { Credential } from './caller.ts'

/** A request as a person has filled it in. */
export interface Filled {
  path: Record<string, string>
  query: Record<string, string[]>
  headers: Record<string, string>
  /** Text of a JSON body; undefined without one. */
  body: string | undefined
  /** The credential of the sample for a shell; a variable of the environment by default. */
  credential?: Credential | undefined
}

/** Placeholders for what nobody has filled in, so that a sample shows where it belongs. */
export function urlOf(base: string, operation: Operation, filled: Filled): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = filled.path[name] ?? ''
    return value === '' ? placeholder : encodeURIComponent(value)
  })
  const pairs = Object.entries(filled.query).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const query = new URLSearchParams(pairs).toString()
  return `${base}${path}${query === '' ? '' : `?${query}`}`
}

/** Text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function curlCredential(credential: Credential | undefined): string {
  if (!credential) return '-H "X-Api-Key: $SANDBOX_KEY"'
  const { kind, value } = credential
  return `-H ${quoted(kind === 'key' ? `X-Api-Key: ${value}` : `Authorization: Bearer ${value}`)}`
}

export function curlSample(base: string, operation: Operation, filled: Filled): string {
  const lines = [
    `curl ${operation.streams ? '-N ' : ''}-X ${operation.method} ${quoted(urlOf(base, operation, filled))}`,
  ]
  if (operation.needsLogin) lines.push(curlCredential(filled.credential))
  for (const [name, value] of Object.entries(filled.headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (operation.mediaType === 'multipart/form-data') lines.push(`-F 'file=@FILE'`)
  else if (operation.mediaType === 'application/octet-stream') {
    lines.push(`-H 'Content-Type: application/octet-stream'`, '--data-binary @FILE')
  } else if (filled.body !== undefined && operation.mediaType) {
    lines.push(
      `-H ${quoted(`Content-Type: ${operation.mediaType}`)}`,
      `--data ${quoted(bodyText(operation, filled.body))}`,
    )
  }
  return lines.join(' \\\n  ')
}

export function fetchSample(base: string, operation: Operation, filled: Filled): string {
  const headers = [
    ...(operation.needsLogin
      ? [
          filled.credential?.kind === 'login'
            ? "Authorization: 'Bearer ' + process.env.SANDBOX_TOKEN"
            : "'X-Api-Key': process.env.SANDBOX_KEY",
        ]
      : []),
    ...Object.entries(filled.headers).map(
      ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
    ),
    ...(filled.body !== undefined && operation.mediaType
      ? [`'Content-Type': ${JSON.stringify(operation.mediaType)}`]
      : []),
  ]
  const options = [
    `method: '${operation.method}'`,
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(filled.body === undefined ? [] : [`body: ${fetchBody(operation, filled.body)}`]),
  ]
  return [
    `const response = await fetch(${JSON.stringify(urlOf(base, operation, filled))}, {`,
    ...options.map((option) => `  ${option},`),
    '})',
    "if (!response.ok) throw new Error(response.status + ' ' + (await response.text()))",
    operation.streams
      ? 'for await (const chunk of response.body) console.log(chunk)'
      : 'console.log(await response.json())',
  ].join('\n')
}

/** With the package `@sandbox-jobs/client`. */
export function sdkSample(base: string, operation: Operation, filled: Filled): string {
  const { 'Idempotency-Key': key, ...headers } = filled.headers
  const given = [
    ...objectField('params', filled.path),
    ...objectField('query', typedQuery(operation, filled)),
    ...(filled.body === undefined ? [] : [`  body: ${indented(jsonText(filled.body))},`]),
    ...fileField(operation),
    ...(key === undefined ? [] : [`  idempotencyKey: ${JSON.stringify(key)},`]),
    ...objectField('headers', headers),
  ]
  const options = given.length > 0 ? `{\n${given.join('\n')}\n}` : ''
  const call = operation.streams
    ? [`for await (const event of sandbox.follow('${operation.operationId}', ${options})) console.log(event)`]
    : [`console.log(await sandbox.${operation.operationId}(${options}))`]
  return [
    "import { createSandbox } from '@sandbox-jobs/client'",
    '',
    `const sandbox = createSandbox({ baseUrl: ${JSON.stringify(base)}, ${filled.credential?.kind === 'login' ? 'token: process.env.SANDBOX_TOKEN' : 'apiKey: process.env.SANDBOX_KEY'} })`,
    ...call,
  ].join('\n')
}

const objectField = (name: string, value: object): string[] =>
  Object.keys(value).length > 0 ? [`  ${name}: ${JSON.stringify(value)},`] : []

/** The query as the API types it: what a form holds is text. */
function typedQuery({ parameters }: Operation, { query }: Filled): Record<string, unknown> {
  const typed = Object.entries(query).map(([name, values]) => {
    const type = parameters.find((parameter) => parameter.in === 'query' && parameter.name === name)?.schema
      .type
    const [value = ''] = values
    if (type === 'array') return [name, values]
    if (type === 'integer' || type === 'number') return [name, Number(value)]
    return [name, type === 'boolean' ? value === 'true' : value]
  })
  return Object.fromEntries(typed) as Record<string, unknown>
}

function fileField({ mediaType }: Operation): string[] {
  if (mediaType === 'multipart/form-data') return ["  file: new File(['content'], 'NAME'),"]
  return mediaType === 'application/octet-stream' ? ["  upload: new Blob(['content']),"] : []
}

const indented = (text: string): string => text.replaceAll('\n', '\n  ')

/** JSON in a readable form, and other text as it is. */
function jsonText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** A form is filled in as JSON too, and sent as a form. */
export function bodyText(operation: Operation, body: string): string {
  if (operation.mediaType !== 'application/x-www-form-urlencoded') return body
  return new URLSearchParams(JSON.parse(body) as Record<string, string>).toString()
}

const fetchBody = (operation: Operation, body: string): string =>
  operation.mediaType === 'application/json'
    ? `JSON.stringify(${indented(jsonText(body))})`
    : JSON.stringify(bodyText(operation, body))
