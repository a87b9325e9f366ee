// What ragvigil needs to know of a question, as OpenTelemetry spans. No package of ragvigil's: copy this file.
import { type Attributes, SpanStatusCode, trace } from '@opentelemetry/api'

export type Passage = { id: string; text: string; score?: number }
export type Answer = { text: string; model?: string; inputTokens?: number; outputTokens?: number }

const tracer = trace.getTracer('rag')
const message = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }])

/** One question from its arrival to its answer; everything traced inside belongs to it. */
export const rag = (question: string, work: () => Promise<string>, facts: Attributes = {}) =>
  span('ask', { ...facts, 'gen_ai.operation.name': 'invoke_workflow', 'gen_ai.input.messages': message('user', question) }, work,
    answer => ({ 'gen_ai.output.messages': message('assistant', answer) }))

/** A search: the ids and texts that it found, best first. */
export const retrieval = (query: string, work: () => Promise<Passage[]>) =>
  span('retrieval', { 'gen_ai.operation.name': 'retrieval', 'gen_ai.retrieval.query.text': query }, work,
    found => ({ 'gen_ai.retrieval.documents': JSON.stringify(found.map(({ id, text, score }) => ({ id, content: text, score }))) }))

/** A model's answer, for a model SDK that makes no spans of its own. */
export const generation = (model: string, question: string, work: () => Promise<Answer>) =>
  span(`chat ${model}`, { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model, 'gen_ai.input.messages': message('user', question) }, work,
    answer => ({
      'gen_ai.output.messages': message('assistant', answer.text), 'gen_ai.response.model': answer.model,
      'gen_ai.usage.input_tokens': answer.inputTokens, 'gen_ai.usage.output_tokens': answer.outputTokens,
    }))

const span = <T>(name: string, attributes: Attributes, work: () => Promise<T>, result: (value: T) => Attributes): Promise<T> =>
  tracer.startActiveSpan(name, { attributes }, async current => {
    try {
      const value = await work()
      current.setAttributes(result(value))
      return value
    } catch (error) {
      current.recordException(error as Error)
      current.setStatus({ code: SpanStatusCode.ERROR, message: String(error) })
      throw error
    } finally { current.end() }
  })
