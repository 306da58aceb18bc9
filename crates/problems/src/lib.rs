//! The rules of the problems that come with Nestor: one file per problem.

pub mod crossword;
mod domains;
pub mod exposed;
pub mod features;
pub mod foreign;
pub mod hash_tree;
pub mod kakuro;
pub mod latin_square;
pub mod morpion;
pub mod rna;
pub mod samegame;
pub mod tsptw;
