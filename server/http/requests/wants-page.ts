import type { FastifyRequest } from 'fastify'

/** A browser that goes to an address names HTML; a program that fetches it does not. */
export const wantsPage = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  /\btext\/html\b/.test(headers.accept ?? '')
