import { nearNames } from '@sandbox-jobs/contract/near-names.ts'

/** Every reason to refuse a Dockerfile, by slug, with the text for the build log: the rule, and what to write. */
const dockerfileRefusals = {
  dockerfile_too_large: 'A Dockerfile is at most 1 MiB. Move long texts into files, and copy those.',
  dockerfile_not_utf8: 'A Dockerfile is UTF-8 text. Save it in that encoding.',
  control_character: 'Control characters other than tabs and line ends are not allowed. Delete them.',
  ambiguous_space:
    'Only blanks and tabs separate words; this line has another kind of space. Write a blank in its place.',
  syntax_directive:
    'A syntax directive is not allowed anywhere in the file. Delete this line: heredocs, --link, --exclude and mounts work without it.',
  escape_directive:
    'An escape directive is not allowed. Delete this line, and continue lines with a backslash.',
  unknown_instruction: 'The builder does not know this instruction.',
  onbuild_forbidden: 'ONBUILD is not allowed. Write the instruction itself where it is to run.',
  missing_arguments: 'The instruction has no arguments. Add them, or delete the line.',
  no_from: 'There is no FROM. Begin with FROM and the name of a base image, or FROM scratch.',
  instruction_before_from: 'Only ARG is allowed before the first FROM. Move this line below it.',
  too_many_stages: 'There are at most 64 stages.',
  too_many_flags: 'An instruction has at most 32 flags.',
  too_many_instructions:
    'A Dockerfile has at most 500 instructions. Join commands with &&, or copy a script and run it.',
  too_many_bases: 'A Dockerfile names at most 64 images.',
  flag_unknown:
    'The builder does not support this flag, or it has no value or comes twice. The flags are: FROM --platform; COPY and ADD --chown, --chmod, --exclude, --link; COPY --from; HEALTHCHECK --interval, --timeout, --start-period, --start-interval, --retries.',
  flag_not_plain:
    'The value of a flag is plain text, which may stand in quotes, without blanks and backslashes. Variables are for --chown and --chmod: write the value itself in other flags.',
  heredoc_not_plain:
    'A heredoc is <<NAME, <<-NAME or <<"NAME" with a name of letters, digits, _, . and -. COPY and ADD give each its own name, and their destination comes last.',
  heredoc_unterminated: 'The heredoc has no end. Add a line with its name and nothing else, blanks included.',
  dynamic_from: 'FROM names its image in plain text; variables are not allowed in it.',
  from_not_understood: 'FROM has the form FROM image, or FROM image AS name.',
  platform_forbidden:
    'The only platform is linux/amd64. Delete --platform, or write linux/amd64 or $BUILDPLATFORM.',
  duplicate_stage: 'Two stages have the same name. Give this one another.',
  base_reference_forbidden:
    'An image is scratch, an earlier stage, or a name in a registry in lower case; transports and paths are not. Write it as docker pull takes it.',
  copy_from_forbidden: 'COPY --from takes an earlier stage only. Move that stage above this one.',
  network_add:
    'Sources of ADD are plain paths in the context: no addresses, variables, quotes or backslashes. Download in a RUN step, with curl for example; use COPY for other paths.',
  checksum_without_address:
    'ADD --checksum is for sources with an address, which are not allowed. Delete the flag, and check with sha256sum in a RUN step.',
  run_network_forbidden:
    'RUN --network may only be default; the network of a step cannot be changed. Delete the flag.',
  run_flag_forbidden: 'RUN takes the flags --mount and --network only, each with a value. Delete the others.',
  mount_forbidden:
    'RUN --mount may be type=cache,target=PATH, where an id has a-z, 0-9, _ and -; type=tmpfs,target=PATH; or, read-only, type=bind,source=PATH,target=PATH of the context or type=bind,from=STAGE,target=PATH of a whole earlier stage, no path with .. in it. Write COPY --from=NAME PATH PATH for files of an image or for a path of a stage, and pass secrets to runs instead of builds.',
  mount_target_uncertain:
    'A relative target of a mount counts from WORKDIR, and the path of a WORKDIR before it is not plain: variables, quotes and .. are not followed. Write the target as an absolute path.',
  mount_source_missing:
    'The source of a bind mount is a file or folder of the context that no ignore file hides, and no symbolic link is on the way to it. Name the file itself, or use COPY.',
} as const

export type DockerfileRefusal = keyof typeof dockerfileRefusals

export const isDockerfileRefusal = (slug: string): slug is DockerfileRefusal =>
  Object.hasOwn(dockerfileRefusals, slug)

/** The builder's instructions. */
export const keywords: ReadonlySet<string> = new Set(
  'ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR'.split(
    ' ',
  ),
)

/** The instruction that a mistyped word probably means: it has most of its letters. */
export function nearKeyword(word: string): string | undefined {
  // No word this long is near, and comparing takes time.
  if (word.length > 20) return undefined
  const [near] = nearNames(word, [...keywords])
  return near
}

interface Advice {
  /** The instruction that an unknown one probably means. */
  meant?: string | undefined
  /** The image that a `FROM` with variables means: a registry reference, or the name of a stage. */
  image?: string | undefined
}

/** A refused Dockerfile: the rule's slug (contract, Build attempt, `error_detail`) and the line, from 1. */
export class DockerfileRefused extends Error {
  readonly slug: DockerfileRefusal
  readonly line: number
  readonly meant: string | undefined
  readonly image: string | undefined

  constructor(slug: DockerfileRefusal, line: number, { meant, image }: Advice = {}) {
    super(`dockerfile refused: ${slug} in line ${line}`)
    this.name = 'DockerfileRefused'
    this.slug = slug
    this.line = line
    this.meant = meant
    this.image = image
  }

  /** `error_detail` of the build attempt. Contains no text of the file. */
  get errorDetail(): string {
    const detail = `${this.slug};line_${this.line}`
    return this.meant === undefined ? detail : `${detail};did_you_mean_${this.meant}`
  }

  /** Text for the build log: the line and the rule. */
  get explanation(): string {
    const meant = this.meant === undefined ? '' : ` Did you mean ${this.meant}?`
    const image = this.slug === 'dynamic_from' ? ` ${imageAdvice(this.image)}` : ''
    return `Dockerfile:${this.line}: ${dockerfileRefusals[this.slug]}${meant}${image} (${this.slug})\n`
  }
}

const imageAdvice = (image: string | undefined): string =>
  image === undefined
    ? 'Write the name of the image in place of the variable; nobody can pass another value to a build here.'
    : `Write ${image} as the image.`
