import type { Json } from '../../form/json.ts'

/** The value of a JSON text that the service has checked; undefined if there is none. */
export const parsedText = (text: string | null | undefined): Json | undefined =>
  text === null || text === undefined ? undefined : (JSON.parse(text) as Json)
