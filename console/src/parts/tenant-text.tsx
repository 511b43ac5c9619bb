import { plainText } from '@sandbox-jobs/contract/plain-text.ts'

/** A text that a tenant wrote, in a language that nobody knows: it changes nothing around it. */
export const TenantText = ({ text }: { text: string }) => <bdi dir="auto">{plainText(text)}</bdi>
