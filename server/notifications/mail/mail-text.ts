import type { Notice } from '../notice.ts'

/*
 * The text of an e-mail. A notice has names that tenants chose, and mail programs make links of what looks like an address: so
 * such names are written in a form that they leave alone, and the only links are of the operator.
 */

export interface MailText {
  subject: string
  /** Plain text with lines of at most 998 bytes. */
  body: string
}

export interface MailOrigin {
  /** Of the service. */
  baseUrl: string
  /** Below it are the pages of notices; absent: no link. */
  consoleUrl?: string | undefined
}

export function mailText(notice: Notice, { baseUrl, consoleUrl }: MailOrigin): MailText {
  const title = withoutLinks(notice.title)
  const about = [
    [notice.subjectType.replace('_', ' '), notice.subjectId],
    ['room', notice.chatroomId],
    ['time', notice.at.toISOString()],
  ].flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []))
  const lines = [
    title,
    '',
    ...about,
    ...(notice.run ? ['', `sandbox output ${notice.run.id}`, `sandbox logs ${notice.run.id}`] : []),
    ...(consoleUrl === undefined ? [] : ['', `${consoleUrl}${notice.deepLink}`]),
    '',
    '-- ',
    `Sandbox Jobs at ${baseUrl} sent this because you are responsible for what it is about.`,
    `No more e-mails of this kind: sandbox mail --off ${notice.event}`,
  ]
  return { subject: title, body: `${lines.join('\n')}\n` }
}

/** Dots, colons and at signs of what looks like an address in brackets, as `example[.]org`; other text as it is. */
export const withoutLinks = (text: string): string =>
  text
    .replaceAll('://', '[:]//')
    .replaceAll(/(?<=\S)@(?=\S)/g, '[@]')
    .replaceAll(/(?<=[\p{L}\p{N}-])[.\u3002\uff0e\uff61](?=[\p{L}\p{N}-]*\p{L})/gu, '[.]')
    .replaceAll(/\b(mailto|tel|javascript|data):/gi, '$1[:]')
