import { parseByteSize } from '@sandbox-jobs/contract/byte-size.ts'

/** One setting of the service. `C` has the settings that its default may depend on. */
export interface Setting<C, T> {
  env: string
  description: string
  /** Text of the default in the docs; `fallback` computes the value. */
  fallback: (read: Partial<C>) => T
  parse: (raw: Raw) => T | undefined
  expected: string
}

export type Settings<C> = { [K in keyof C]: Setting<C, C[K]> }

/** A value of the environment or of the configuration file. */
export type Raw = string | number | boolean

export const text = (pattern: RegExp, expected: string) => ({
  expected,
  parse: (raw: Raw) => (typeof raw === 'string' && pattern.test(raw) ? raw : undefined),
})

export const integer = (minimum: number, maximum: number) => ({
  expected: `a whole number from ${minimum} to ${maximum}`,
  parse: (raw: Raw) => {
    const value = typeof raw === 'boolean' ? Number.NaN : Number(raw)
    return Number.isInteger(value) && value >= minimum && value <= maximum ? value : undefined
  },
})

/** A size from `minimum` to `maximum`, both in units of `unitBytes`, as is the value. */
export const size = (minimum: number, maximum: number, unitBytes = 1) => ({
  expected: `a whole number from ${minimum} to ${maximum}, or such a size as 512m or 5g`,
  parse: (raw: Raw) => {
    const value = (parseByteSize(String(raw), unitBytes) ?? Number.NaN) / unitBytes
    return Number.isInteger(value) && value >= minimum && value <= maximum ? value : undefined
  },
})

export const flag = {
  expected: 'true or false',
  parse: (raw: Raw) => ({ true: true, false: false })[String(raw)],
}

export const oneOf = <T extends string>(...values: T[]) => ({
  expected: values.join(' or '),
  parse: (raw: Raw) => values.find((value) => value === raw),
})

export const absolutePath = text(/^\/[^\0]*$/, 'an absolute path')

export const url = text(/^https?:\/\/[^\s/]+[^\s]*[^\s/]$/, 'an http(s) address without a slash at the end')

/** The `iss` of tokens, which is compared character by character: some providers have a slash at its end. */
export const issuer = text(/^https?:\/\/[^\s/?#][^\s?#]*$/, 'an http(s) address without a query')
