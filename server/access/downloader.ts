import type { Downloader } from '../storage/downloads/download-slots.ts'
import type { Principal } from './principal.ts'

/** Whose slots a download takes: of the person or key, and of the company. */
export const downloaderOf = ({ apiKey, principalId, companyId }: Principal): Downloader => ({
  linkId: apiKey?.id ?? principalId,
  companyId,
})
