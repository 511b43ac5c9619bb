import { catalogue, type ErrorCode, statusesOf } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { uncoded } from '@sandbox-jobs/contract/errors/uncoded.ts'
import { errorsOf, plainErrorsOf } from '@sandbox-jobs/contract/routes/implied-errors.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

export interface Answer {
  status: number
  body: string
}

const ajv = formats.default(new Ajv2020({ discriminator: true, strict: false }))
const successes = new Map<Route, ValidateFunction>()

/** The fault of a response, by the route's declaration; undefined if there is none. */
export function faultOf(route: Route | undefined, answer: Answer): string | undefined {
  if (answer.status < 300) return route ? successFault(route, answer) : undefined
  const parsed = parse(answer.body)
  if (!(parsed instanceof Object) || !('detail' in parsed)) return 'an error without detail'
  const { detail } = parsed
  if (Array.isArray(detail)) return answer.status === 422 ? undefined : 'an array of problems that is no 422'
  if (typeof detail === 'string') return plainFault(route, answer.status, detail)
  const code = detail instanceof Object && 'code' in detail ? String(detail.code) : ''
  return codeFault(route, answer.status, code)
}

function successFault(route: Route, { body }: Answer): string | undefined {
  if (!route.response) return undefined
  const check = successes.get(route) ?? ajv.compile(route.response)
  successes.set(route, check)
  if (check(parse(body))) return undefined
  return `a success of another shape: ${ajv.errorsText(check.errors).slice(0, 300)}`
}

function plainFault(route: Route | undefined, status: number, detail: string): string | undefined {
  const known = route ? plainErrorsOf(route).map((name) => uncoded[name]) : Object.values(uncoded)
  return known.some((one) => one.status === status && one.detail === detail)
    ? undefined
    : `plain text that is not documented: ${status} ${detail}`
}

function codeFault(route: Route | undefined, status: number, code: string): string | undefined {
  if (!(code in catalogue)) return `an unknown code: ${code}`
  const known = code as ErrorCode
  if (known === 'internal_error') return 'an internal error'
  if (!statusesOf(known).includes(status)) return `${code} with status ${status}`
  return !route || known === 'not_found' || errorsOf(route).includes(known)
    ? undefined
    : `${code}, undocumented`
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
