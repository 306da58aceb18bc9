/* A problem in C: place queens on a board of n x n squares, row by row, so that none attacks another.
 *
 *     cc -O2 -shared -fPIC -I "$(python -c 'import nestor; print(nestor.get_include())')" \
 *         queens.c -o queens.so
 *     python -c "import nestor; print(nestor.solve(nestor.load_library('./queens.so', 'queens', '12')))"
 *
 * A move is the column of the next queen. The score is the number of queens. */

#include <nestor.h>
#include <stdlib.h>

#define MOST 32

typedef struct state {
  int32_t row;
  uint32_t columns;      /* Bit c: column c is taken. */
  uint32_t falling[2];   /* Bit r + c, in two words. */
  uint32_t rising[2];    /* Bit r - c + MOST. */
} state;

static int taken(const uint32_t words[2], int bit) { return words[bit / 32] >> bit % 32 & 1; }

static nestor_status initial(const void *self, void *to) {
  (void)self;
  ((state *)to)->row = 0;
  return NESTOR_OK;
}

static nestor_status moves(const void *self, const void *from, nestor_moves *out) {
  const int n = *(const int *)self;
  const state *s = from;
  if (s->row == n) return NESTOR_OK;
  for (int c = 0; c < n; c++) {
    int free = !(s->columns >> c & 1) && !taken(s->falling, s->row + c) &&
               !taken(s->rising, s->row - c + MOST);
    if (free) nestor_add(out, c, (uint64_t)(s->row * n + c), 0.0);
  }
  return NESTOR_OK;
}

static nestor_status play(const void *self, void *to, int64_t column) {
  state *s = to;
  int c = (int)column, falling = s->row + c, rising = s->row - c + MOST;
  if (c < 0 || c >= *(const int *)self) return NESTOR_FAILED;
  s->columns |= UINT32_C(1) << c;
  s->falling[falling / 32] |= UINT32_C(1) << falling % 32;
  s->rising[rising / 32] |= UINT32_C(1) << rising % 32;
  s->row++;
  return NESTOR_OK;
}

static nestor_status score(const void *self, const void *from, double *score) {
  (void)self;
  *score = ((const state *)from)->row;
  return NESTOR_OK;
}

static const char *message(const void *self, nestor_status status) {
  (void)self;
  return status == 2 ? "the data must be the size of the board, 1 to 31" : "no such column";
}

/* The function that `load_library` calls: `data` is the size of the board. */
nestor_status queens(const char *data, uint64_t length, nestor_problem *out) {
  char text[8] = {0};
  *out = NESTOR_PROBLEM;
  out->message = message;
  for (uint64_t i = 0; i < length && i < sizeof text - 1; i++) text[i] = data[i];
  int *n = malloc(sizeof *n);
  if (!n) return NESTOR_FAILED;
  *n = atoi(text);
  if (*n < 1 || *n >= MOST) {
    free(n);
    return 2;
  }
  out->self = n;
  out->state_size = sizeof(state);
  out->code_count = (uint64_t)(*n * *n);
  out->optimum = *n;
  out->initial = initial;
  out->moves = moves;
  out->play = play;
  out->score = score;
  out->close = free;
  return NESTOR_OK;
}
