/* The C interface of Nestor: problems whose rules are compiled code in any language.
 *
 * A library exports a function of type `nestor_open` for each problem, which fills in a table.
 * `nestor.load_library("./mine.so", "name")` calls it. docs/compiled.md shows how.
 *
 * Every function returns a status: NESTOR_OK, or any other number that ends the search with an
 * error. Functions may be called by any thread at any time, so they must not change `self`, and
 * must not throw or jump past their caller. The same arguments must give the same answer.
 */

#ifndef NESTOR_H
#define NESTOR_H

#include <math.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the interface, and a hash of what is declared here. */
#define NESTOR_VERSION 1
#define NESTOR_SIGNATURE UINT64_C(0x8df645efc444d422)

/* Statuses. */
#define NESTOR_OK 0
#define NESTOR_FAILED 1

/* Flags of a problem, added up. */
#define NESTOR_MINIMISE 1  /* A lower score is better. */
#define NESTOR_BIASED 2    /* Moves are added with a bias. */
#define NESTOR_ANY_ORDER 4 /* The moves of a finished game may be played in any order. */
#define NESTOR_ANY_PART 8  /* Any subset of them may be played, in any order. */
#define NESTOR_DECISIONS 16 /* One of them may be replaced by another. */
#define NESTOR_FRONT 32    /* No part of a score comes before another: a front is looked for. */
#define NESTOR_COVER 64    /* Any move may be played in any state, once, in any order; those that
                            * still help are listed, until it is enough. No two of ANY_ORDER,
                            * ANY_PART, DECISIONS and COVER. */

typedef int32_t nestor_status;

/* Receives the legal moves of a state, from `nestor_add`. */
typedef struct nestor_moves {
  int64_t *moves;
  uint32_t *dense; /* Codes, if the problem says how many there are; otherwise null. */
  uint64_t *codes; /* Codes, if it does not; otherwise null. */
  double *biases;  /* Null without NESTOR_BIASED. */
  uint64_t room;   /* No more moves than this are written. */
  uint64_t count;  /* Moves so far. If they are more than `room`, they are asked for again. */
} nestor_moves;

/* A part of a score, where a score is several numbers. Of a front only `minimise` counts. */
typedef struct nestor_part {
  double least, most; /* The range of its values, */
  double step;        /* which are multiples of this: 1.0 for whole numbers. */
  double optimum;     /* The best that is possible; NaN if unknown. */
  uint64_t minimise;  /* 1 if less is better, otherwise 0. */
} nestor_part;

/* A problem. States are `state_size` bytes that Nestor owns, copies, stores and aligns for any type:
 * a state must not have pointers. */
typedef struct nestor_problem {
  uint32_t version;    /* Set by NESTOR_PROBLEM, as are the next two. */
  uint32_t size;
  uint64_t signature;
  uint64_t layout;     /* A hash of the layout of a state (`nestor_hash`); 0 if it is not told. */
  uint64_t state_size; /* 1 to 2^24. */
  uint64_t code_count; /* Codes are 0 to code_count - 1, at most 2^28; 0 for any 64-bit codes. */
  uint64_t value_count; /* If moves are variables with values: a move is variable * value_count +
                        * value, and two variables may exchange their values. With NESTOR_ANY_PART. */
  uint64_t flags;
  double optimum;      /* A score that no solution can beat: a search stops there. NaN if unknown. */
  uint64_t part_count; /* 0 if a score is one number; otherwise 2 to 16, and each `double *` below */
  const nestor_part *parts; /* points to so many. The first part decides, and of equal ones the
                        * second, unless there is NESTOR_FRONT. They are read when it is opened. */
  void *self;          /* What all functions get first. */

  /* Makes the first state. The bytes of `state` are 0. */
  nestor_status (*initial)(const void *self, void *state);
  /* Adds the legal moves, always in the same order; none if and only if the game is over. */
  nestor_status (*moves)(const void *self, const void *state, nestor_moves *out);
  /* Plays a legal move, in place. */
  nestor_status (*play)(const void *self, void *state, int64_t move);
  /* The score of a state without moves; not NaN. */
  nestor_status (*score)(const void *self, const void *state, double *score);

  /* These may be null. What guides polish at a state without moves, in place of the score: */
  nestor_status (*guide)(const void *self, const void *state, double *value);
  /* Plays a move where polish replays the moves of a game in any order, in place of `play`. After it,
   * only this function, `score`, `guide`, `bound` and `joined` see the state: */
  nestor_status (*step)(const void *self, void *state, int64_t move);
  /* What no game that goes on from a state can beat, by the guide or else the score: */
  nestor_status (*bound)(const void *self, const void *state, double *value);
  /* Puts a move before the rest of a game, which is `state_size` bytes that begin as 0; and what the
   * game cannot beat that goes on from a state with a rest. Both or none: */
  nestor_status (*before)(const void *self, void *rest, int64_t move);
  nestor_status (*joined)(const void *self, const void *state, const void *rest, double *value);
  /* Takes a move back, in place: the state is as if it had never been played. With NESTOR_ANY_PART or NESTOR_COVER: */
  nestor_status (*undo)(const void *self, void *state, int64_t move);
  /* What a move does, 0 to 2^20 - 1: moves that do the same stand for each other. With NESTOR_ANY_ORDER
   * the tasks of a finished game may then be done in any order, each by any of its moves: */
  nestor_status (*task)(const void *self, int64_t move, int64_t *task);
  /* What a status means, as a text that stays where it is: */
  const char *(*message)(const void *self, nestor_status status);
  /* Called once, when the problem is not needed any more: */
  void (*close)(void *self);
} nestor_problem;

/* What a table is before it is filled in: `*out = NESTOR_PROBLEM;` */
#ifdef __cplusplus
#define NESTOR_PROBLEM \
  nestor_problem { NESTOR_VERSION, sizeof(nestor_problem), NESTOR_SIGNATURE, 0, 0, 0, 0, 0, NAN }
#else
#define NESTOR_PROBLEM                                        \
  ((nestor_problem){.version = NESTOR_VERSION,                \
                    .size = sizeof(nestor_problem),           \
                    .signature = NESTOR_SIGNATURE,            \
                    .optimum = NAN})
#endif

/* The type of the function that a library exports, under the name of its problem. `data` is what the
 * user gave to `load_library`, `length` bytes of it. */
typedef nestor_status nestor_open(const char *data, uint64_t length, nestor_problem *out);

/* Adds a legal move. Its code is the policy's key of the move; moves of one state have different
 * codes. Its bias is finite and at most 700, or -INFINITY to forbid the move; it counts only with
 * NESTOR_BIASED. */
static inline void nestor_add(nestor_moves *out, int64_t move, uint64_t code, double bias) {
  uint64_t place = out->count++;
  if (place >= out->room) return;
  out->moves[place] = move;
  if (out->dense)
    out->dense[place] = code < UINT32_MAX ? (uint32_t)code : UINT32_MAX;
  else
    out->codes[place] = code;
  if (out->biases) out->biases[place] = bias;
}

/* FNV-1a of a text that ends with a zero byte, such as one that describes the layout of a state. */
static inline uint64_t nestor_hash(const char *text) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  while (*text) hash = (hash ^ (unsigned char)*text++) * UINT64_C(0x100000001b3);
  return hash;
}

#ifdef __cplusplus
}
#endif

#endif
