/** A program that `sandbox init` writes. Each counts the words of the field `text` of its input. */
export interface Template {
  description: string
  /** The Dockerfile. */
  dockerfile: string
  /** Further files of the image by name, beside the Dockerfile. */
  files: Record<string, string>
  /** The script that a run starts. */
  workScript: string
  /** The program cuts the text out of the JSON, so the schema allows nothing in it that JSON escapes. */
  plainText?: true
  /** A base image of the operator, and the preset that makes it. */
  base?: { name: string; preset: string }
  /** A command that must be run in the project before it is deployed. */
  prepare?: string
}
