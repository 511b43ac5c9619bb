export { ApiKey, ApiKeyCreated, ApiKeyCreateRequest, ApiKeyList } from './api-key.ts'
export { Me } from './me.ts'
export { PublicKey } from './public-key.ts'
export { Token, TokenRequest } from './token.ts'
