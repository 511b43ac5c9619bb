import type { Downloader } from '../storage/downloads/download-slots.ts'
import type { Principal } from './principal.ts'

/** The owner of the slots that a download takes: the person or key, and the company. */
export const downloaderOf = ({ apiKey, principalId, companyId }: Principal): Downloader => ({
  linkId: apiKey?.id ?? principalId,
  companyId,
})
